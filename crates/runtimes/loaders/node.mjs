// Runs one tool: the request comes on standard input, the answer goes to standard output behind a word that the tool
// does not know. The text that is run is that of the request, never that of a file: what was verified is what runs.
import fs from 'node:fs';
import { Module, createRequire } from 'node:module';

const request = JSON.parse(fs.readFileSync(0, 'utf8'));
const { path, project, nonce } = request;
try { process.chdir(project); } catch { /* it runs where it is */ }

let printed = '';
const capture = (chunk, encoding, done) => {
  const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
  if (printed.length < request.printed_bytes) printed += text.slice(0, request.printed_bytes - printed.length);
  const callback = typeof encoding === 'function' ? encoding : done;
  if (callback) process.nextTick(callback);
  return true;
};
process.stdout.write = capture;

let answered = false;
const answer = (value) => {
  if (answered) return;
  answered = true;
  let text;
  try {
    text = JSON.stringify({ ...value, printed });
  } catch (error) {
    text = JSON.stringify({ raised: `what it returned is no JSON: ${error.message}`, printed });
  }
  let data = Buffer.from(nonce + text, 'utf8');
  while (data.length > 0) {
    try {
      data = data.subarray(fs.writeSync(1, data));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};
const raised = (error) => {
  const name = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  answer({ raised: name, traceback: String(error?.stack ?? '').slice(0, 4000) });
  process.exit(1);
};
process.on('uncaughtException', raised);
process.on('unhandledRejection', raised);
// Set here, since no argument of a program may be as long as a parameter.
process.argv = [process.argv[0], path, '--params', request.params, '--project-path', project];
process.on('exit', (code) => answer({ program: true, code }));

try {
  let entry;
  if (request.module) {
    const url = 'data:text/javascript;base64,' + Buffer.from(request.source, 'utf8').toString('base64');
    entry = (await import(url)).default;
  } else {
    const module = new Module(path);
    module.filename = path;
    module.paths = Module._nodeModulePaths(project);
    globalThis.require ??= createRequire(`${project}/`);
    module._compile(request.source, path);
    const { exports } = module;
    entry = typeof exports === 'function' ? exports : exports.default ?? exports.main ?? exports.execute;
  }
  if (typeof entry === 'function') {
    const result = await entry(JSON.parse(request.params), project);
    answer({ result: result === undefined ? null : result });
    process.exit(0);
  }
} catch (error) {
  raised(error);
}
