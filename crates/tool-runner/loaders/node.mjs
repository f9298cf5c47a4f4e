// Runs one tool: the request comes on standard input, the answer goes to standard output behind a word that the tool
// does not know. The text that is run is that of the request, never that of a file: what was verified is what runs.
import fs from 'node:fs';
import nodePath from 'node:path';
import vm from 'node:vm';
import Module, { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const request = JSON.parse(fs.readFileSync(0, 'utf8'));
const { path, project, nonce } = request;
const files = { ...request.modules, [path]: request.tool };
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

// What JSON would leave out or make something else of without a word; a member without a value is none.
const carried = (key, value) => {
  if (value instanceof Map || value instanceof Set) throw new TypeError(`\`${key}\` is a ${value.constructor.name}`);
  if (['function', 'symbol'].includes(typeof value)) throw new TypeError(`\`${key}\` is a ${typeof value}`);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`\`${key}\` is ${value}`);
  return value;
};
let answered = false;
const answer = (value) => {
  if (answered) return;
  answered = true;
  let text;
  try {
    text = JSON.stringify({ ...value, printed }, carried);
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
// As under `node FILE ARGS`, for `util.parseArgs` too, which asks `execArgv` whether there is a file at all. Set here, since no
// argument of a program may be as long as a parameter.
process.argv = [process.argv[0], path, '--params', request.params, '--project-path', project];
process.execArgv = [];
delete process._eval;
// What was begun and not ended when nothing was left to do never answers; nor does a function that ends the process.
let begun = 'reading';
let why = '';
process.on('beforeExit', () => { if (begun === 'reading') begun = 'stuck'; });
process.on('exit', (code) => {
  const is_silent = begun === 'ran' && code === 0 && printed === '' && why !== '';
  if (begun === 'called' || begun === 'stuck' || is_silent) answer({ unanswered: true, code, why });
  else answer({ program: true, code });
});

// Files beside the tool that were verified with it are made of their texts; no directory is searched for others. The
// language's own modules and installed packages are what Node finds from the project.
const isPath = (specifier) => /^(\.{0,2}\/|file:)/.test(specifier);
const beside = (specifier, from) => {
  const whole = specifier.startsWith('file:') ? fileURLToPath(specifier) : nodePath.resolve(nodePath.dirname(from), specifier);
  const ways = [whole, whole.replace(/\.js$/, '.ts'), `${whole}.js`, `${whole}.cjs`, `${whole}.ts`];
  const found = ways.find((way) => Object.hasOwn(files, way));
  if (found === undefined) throw new Error(`\`${specifier}\` is no file beside the tool that was verified with it`);
  return found;
};
const installed = createRequire(`${project}/`);
// Whatever name leads there, by a link, the `imports` or `exports` of a `package.json`, or a `require` that the tool makes
// itself: among the files of tools lies no package, and code there runs only as it was verified. Data is no code.
const tools = nodePath.join(nodePath.sep, '.ai', 'tools', nodePath.sep);
const real = (file) => { try { return fs.realpathSync(file); } catch { return file; } };
const outsideTools = (specifier, file) => {
  const isThere = nodePath.isAbsolute(file) && !file.endsWith('.json');
  if (isThere && [file, real(file)].some((place) => place.includes(tools))) {
    throw new Error(`\`${specifier}\` is no file beside the tool that was verified with it`);
  }
};
// What begins so is private to a package, and the tool belongs to none.
const named = (specifier) => {
  if (specifier.startsWith('#')) throw new Error(`\`${specifier}\` is the name of no package`);
  return specifier;
};
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function resolved(specifier, ...more) {
  const file = resolveFilename.call(this, specifier, ...more);
  outsideTools(specifier, file);
  return file;
};

const commons = new Map();
const common = (file) => {
  const known = commons.get(file);
  if (known) return known.exports;
  if (files[file].module) throw new Error(`\`${file}\` is a module: import it`);
  const module = { exports: {}, id: file, filename: file, loaded: false };
  commons.set(file, module);
  const need = (specifier) => (isPath(specifier) ? common(beside(specifier, file)) : installed(named(specifier)));
  need.resolve = (specifier) => (isPath(specifier) ? beside(specifier, file) : installed.resolve(named(specifier)));
  need.main = commons.get(path);
  const run = vm.compileFunction(files[file].source.replace(/^#!.*/, ''), ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: file,
    importModuleDynamically: (specifier) => imported(specifier, file),
  });
  run.call(module.exports, module.exports, need, module, file, nodePath.dirname(file));
  module.loaded = true;
  return module.exports;
};

const modules = new Map();
const made = (names, value, identifier) => new vm.SyntheticModule(names, function fill() {
  for (const name of names) this.setExport(name, value(name));
}, { identifier });
const outside = async (specifier) => {
  // Releases before 20 do not say where a module is, and it is where a `require` finds it.
  const where = import.meta.resolve?.(named(specifier)) ?? installed.resolve(specifier);
  outsideTools(specifier, where.startsWith('file:') ? fileURLToPath(where) : where);
  const space = await import(specifier);
  return made(Object.keys(space), (name) => space[name], specifier);
};
const module = (file) => {
  if (!modules.has(file)) {
    if (files[file].module) {
      modules.set(file, new vm.SourceTextModule(files[file].source, {
        identifier: file,
        initializeImportMeta: (meta) => {
          Object.assign(meta, { url: pathToFileURL(file).href, filename: file, dirname: nodePath.dirname(file) });
        },
        importModuleDynamically: (specifier) => imported(specifier, file),
      }));
    } else {
      const exports = common(file);
      const names = exports !== null && ['object', 'function'].includes(typeof exports) ? Object.keys(exports) : [];
      const all = ['default', ...names.filter((name) => name !== 'default')];
      modules.set(file, made(all, (name) => (name === 'default' ? exports : exports[name]), file));
    }
  }
  return modules.get(file);
};
const link = (specifier, from) => (isPath(specifier) ? module(beside(specifier, from.identifier)) : outside(specifier));
const ready = async (wanted) => {
  if (wanted.status === 'unlinked') await wanted.link(link);
  await wanted.evaluate();
  return wanted;
};
const imported = async (specifier, from) => ready(await link(specifier, { identifier: from }));

try {
  let entry;
  if (request.tool.module) {
    const space = (await ready(module(path))).namespace;
    entry = space.default;
    const name = ['execute', 'main'].find((name) => typeof space[name] === 'function');
    if (typeof entry === 'function') why = '';
    else if (Object.hasOwn(space, 'default')) why = 'its default export is no function';
    else if (name) why = `it has no default export, and nothing called its \`${name}\``;
  } else {
    const exports = common(path);
    entry = typeof exports === 'function' ? exports : exports.default ?? exports.main ?? exports.execute;
  }
  begun = 'ran';
  if (typeof entry === 'function') {
    begun = 'called';
    const result = await entry(JSON.parse(request.params), project);
    answer({ result: result === undefined ? null : result });
    process.exit(0);
  }
} catch (error) {
  raised(error);
}
