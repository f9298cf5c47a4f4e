// Exceeds one setting of a sandbox.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";

export const __version__ = "1.0.0";
export const __tool_type__ = "script";
export const __executor_id__ = "rye/core/runtimes/node/node";
export const __category__ = "keys";
export const __tool_description__ = "Exceeds one setting of a sandbox";
export const __requires__ = ["fs.write", "net.http"];

export const CONFIG_SCHEMA = {
  type: "object",
  properties: { what: { type: "string", description: "What to do" } },
  required: ["what"],
};

const text = (name) => readFileSync(name, "utf8").trim();
const pause = (ms) => new Promise((over) => setTimeout(over, ms));

const acts = {
  little: () => "LITTLE",
  see: () => (existsSync(`/proc/${text("pid")}`) ? "SEEN" : "nothing"),
  connect: () =>
    new Promise((over) => {
      const stream = connect(Number(text("port")), "127.0.0.1", () => stream.write("GET / HTTP/1.0\r\n\r\n"));
      stream.on("data", (data) => over(String(data)));
      stream.on("error", (error) => over(String(error)));
    }),
  read: () => text(text("where")),
  write: () => writeFileSync("outside", "x"),
  env: () => JSON.stringify(process.env),
  sleep: async () => {
    await pause(9000);
    writeFileSync("out/done", "x");
  },
  print: () => "x".repeat(200000),
  allocate: () => {
    const kept = Buffer.alloc(700000000, 1);
    writeFileSync("out/done", String(kept[600000000]));
  },
  fork: async () => {
    let count = 0;
    for (let n = 0; n < 60; n += 1) {
      const child = spawn("sleep", ["3"]);
      child.on("spawn", () => (count += 1));
      child.on("error", () => {});
    }
    await pause(1000);
    writeFileSync("out/count", String(count));
  },
  grow: () => writeFileSync("out/big", "x".repeat(3000000)),
};

export default async function main(params) {
  return { success: true, output: (await acts[params.what]()) ?? "done" };
}
