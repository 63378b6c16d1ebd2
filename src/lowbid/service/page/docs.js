// The documentation of the API, made from its OpenAPI document, without anything from the network.
"use strict";

const main = document.getElementById("main");

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function schemaOf(api, content) {
  const schema = content?.["application/json"]?.schema;
  if (!schema) return null;
  const first = schema.anyOf ? schema.anyOf.find((each) => each.$ref) : schema;
  return first?.$ref ? api.components.schemas[first.$ref.split("/").pop()] : schema;
}

function fields(schema) {
  if (!schema?.properties) return null;
  const rows = Object.entries(schema.properties).map(([name, field]) => h("tr", {},
    h("th", { scope: "row" }, h("code", {}, name)),
    h("td", { class: "text" }, (schema.required || []).includes(name) ? "needed" : "optional"),
    h("td", { class: "text" }, field.description || "")));
  return h("div", { class: "wide", tabindex: "0" }, h("table", {}, h("tbody", {}, rows)));
}

function example(schema) {
  return schema?.examples ? h("pre", { tabindex: "0" }, h("code", {}, JSON.stringify(schema.examples[0], null, 2))) : null;
}

function operation(api, path, method, what) {
  const asked = schemaOf(api, what.requestBody?.content);
  const given = schemaOf(api, what.responses["200"]?.content || what.responses["201"]?.content);
  const parameters = (what.parameters || []).filter((each) => each.in === "query");
  return h("section", {},
    h("h3", {}, h("code", {}, `${method.toUpperCase()} ${path}`)),
    ...(what.description || what.summary || "").split("\n\n").map((text) => h("p", {}, text)),
    parameters.length ? h("p", {}, `Parameters: ${parameters.map((each) => each.name).join(", ")}.`) : null,
    fields(asked), asked ? h("p", { class: "hint" }, "Example") : null, example(asked),
    given?.examples ? h("p", { class: "hint" }, "Answer") : null, example(given));
}

(async () => {
  const answer = await fetch("openapi.json");
  if (!answer.ok) {
    main.replaceChildren(h("p", { class: "state" }, "Sign in to read the documentation: ", h("a", { href: "./" }, "sign in"), "."));
    return;
  }
  const api = await answer.json();
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, what] of Object.entries(methods)) {
      const tag = (what.tags || ["other"])[0];
      groups.set(tag, [...(groups.get(tag) || []), operation(api, path, method, what)]);
    }
  }
  const parts = [...groups].map(([tag, operations]) => [h("h2", {}, tag), ...operations]);
  main.replaceChildren(h("h1", {}, `${api.info.title} ${api.info.version}`),
    ...api.info.description.split("\n\n").map((text) => h("p", { class: "lead" }, text)),
    h("p", {}, "Send your key as ", h("code", {}, "Authorization: Bearer lowbid_..."), ". Errors are problem documents (RFC 9457)."),
    ...parts.flat());
})();
