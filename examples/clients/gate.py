"""Gate stdin through `ctxkit serve`: python3 gate.py model=qwen3-30b."""

import http.client
import os
import socket
import sys
from urllib.parse import quote

connection = http.client.HTTPConnection("ctxkit")
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect(os.environ.get("CTXKIT_SOCKET") or os.environ["XDG_RUNTIME_DIR"] + "/ctxkit.sock")
headers = {"accept": "text/plain", "ctxkit-directory": quote(os.getcwd())}
connection.request("POST", f"/v1/gate?{'&'.join(sys.argv[1:])}", sys.stdin.buffer.read(), headers)
answer = connection.getresponse()
sys.stdout.buffer.write(answer.read())
sys.exit(int(answer.headers["ctxkit-status"]))
