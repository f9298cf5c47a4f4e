"""llama.cpp's own server, from the package `xllamacpp`, on a free port: `llama_server.py MODEL TEMPLATE`. It prints the port."""

import signal
import sys
from pathlib import Path

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.chat_template = Path(sys.argv[2]).read_text()
params.use_jinja = True
params.sampling.temp = 0
params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 4096, 1, 1
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address.rpartition(":")[2], flush=True)
signal.pause()
