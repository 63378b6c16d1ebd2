"""Experiments from a TOML file, one ``[[experiment]]`` table each, created at start-up."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from lowbid.errors import InvalidValueError
from lowbid.experiments.toml_file import TomlFile
from lowbid.service._hosted import Experiments
from lowbid.service._models import NewExperiment
from lowbid.service.routes import settings_of


def make_experiments(path: Path, experiments: Experiments) -> list[str]:
    """Create the experiments in a file that do not exist yet; the others must agree with it.

    The whole file is checked before any is created. Returns their names.
    """
    file = TomlFile(path, ["experiment"], "a file of experiments", None)
    tables = file.tables("experiment")
    wanted = [
        file.at(lambda table=table: _read(table), "experiment", number)  # type: ignore[misc]
        for number, table in enumerate(tables)
    ]
    names = [each.name for each in wanted]
    for number, each in enumerate(wanted):
        if each.name in names[:number]:
            message = f"'name': experiment {each.name!r} is defined twice; rename one."
            error = InvalidValueError(message, field="name", value=each.name)
            raise file.error(message, file.line_in_table("experiment", number, error))
        file.at(lambda each=each: settings_of(each), "experiment", number)  # type: ignore[misc]
    for number, each in enumerate(wanted):
        settings = settings_of(each)
        file.at(
            lambda each=each, settings=settings: experiments.make(  # type: ignore[misc]
                each.name, **settings, actor=f"the file {path.name}"
            ),
            "experiment",
            number,
        )
    return names


def _read(table: dict[str, object]) -> NewExperiment:
    try:
        return NewExperiment(**table)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0]) if first["loc"] else "experiment"
        missing = first["type"] == "missing"
        text = f"the experiment needs {key!r}." if missing else f"{key!r}: {first['msg']}."
        raise InvalidValueError(text, field=key, value=table.get(key)) from error
