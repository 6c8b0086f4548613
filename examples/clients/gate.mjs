// Gate stdin through `ctxkit serve`: node gate.mjs model=qwen3-30b
import { request } from "node:http";

const socketPath = process.env.CTXKIT_SOCKET || `${process.env.XDG_RUNTIME_DIR}/ctxkit.sock`;
const path = `/v1/gate?${process.argv.slice(2).join("&")}`;
const headers = { accept: "text/plain", "ctxkit-directory": encodeURIComponent(process.cwd()) };
const call = request({ socketPath, path, method: "POST", headers }, (answer) => {
  process.exitCode = Number(answer.headers["ctxkit-status"]);
  answer.pipe(process.stdout);
});
process.stdin.pipe(call);
