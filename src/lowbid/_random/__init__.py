"""Random numbers: streams of bits, and the draws made from them."""

from lowbid._random._counts import binomial as binomial
from lowbid._random._counts import hypergeometric as hypergeometric
from lowbid._random._counts import log_factorial as log_factorial
from lowbid._random._counts import stirling_tail as stirling_tail
from lowbid._random._draws import beta as beta
from lowbid._random._draws import coin as coin
from lowbid._random._draws import exponential as exponential
from lowbid._random._draws import gamma as gamma
from lowbid._random._draws import integer as integer
from lowbid._random._draws import log_gamma as log_gamma
from lowbid._random._draws import normal as normal
from lowbid._random._draws import normal_quantile as normal_quantile
from lowbid._random._streams import STREAMS_VERSION as STREAMS_VERSION
from lowbid._random._streams import Stream as Stream
from lowbid._random._streams import bits as bits
from lowbid._random._streams import key as key
from lowbid._random._streams import mix as mix
from lowbid._random._streams import seek_loss as seek_loss
from lowbid._random._streams import seek_run as seek_run
from lowbid._random._streams import stream_of_run as stream_of_run
from lowbid._random._streams import uniform as uniform
from lowbid._random._streams import uniform_open as uniform_open
