// The same as judge.py, for clients of Node.js.
import { isDeepStrictEqual } from 'node:util';

export const GATEWAY = process.env.GATEWAY;
export const READ_FILE = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

const plain = (text) => text.replace(/\s+/g, '');

// What is undefined a client cannot show.
function difference(want, saw) {
  for (const key of ['text', 'reasoning', 'calls', 'end']) {
    if (saw[key] === undefined || (want.end === 'error' && (key === 'text' || key === 'reasoning'))) continue;
    let [have, need] = key === 'calls' ? [saw[key], want[key]] : [plain(saw[key]), plain(want[key])];
    // Calls that were complete before the error may have come.
    if (want.end === 'error' && key === 'calls') need = need.slice(0, have.length);
    if (!isDeepStrictEqual(have, need)) return `${key}: ${JSON.stringify(saw[key])} and not ${JSON.stringify(want[key])}`;
  }
}

globalThis.AI_SDK_LOG_WARNINGS = false;

// How what the client saw differs.
async function see(ask, model, scenario, tools, want) {
  let saw;
  try {
    saw = await ask(model, scenario, tools);
  } catch (error) {
    saw = { calls: [], end: 'error', why: String(error).slice(0, 300) };
  }
  const why = difference(want, saw);
  return why && `${why} ${saw.why ?? ''}`;
}

export async function judge(client, ask, without = []) {
  const { scenarios, dialects, cuts, cases } = await (await fetch(process.env.UPSTREAM + '/scenarios')).json();
  for (const [scenario, want] of Object.entries(scenarios)) {
    const failures = [];
    let n = 0;
    for (const dialect of dialects)
      for (const cut of cuts) {
        if (without.includes(scenario) || (scenario === 'around' && dialect === 'mistral')) continue;
        n += 1;
        const why = await see(ask, `${scenario}.${dialect}.${cut}`, scenario, [READ_FILE], want);
        if (why) failures.push(`${dialect} ${cut}: ${why}`);
      }
    console.log(JSON.stringify({ client, scenario, n, failures }));
  }
  const groups = {};
  for (const { group, id, model, tools, want } of cases) {
    const row = (groups[group] ??= { client, scenario: group, n: 0, failures: [] });
    row.n += 1;
    const why = await see(ask, model, 'case', tools, want);
    if (why) row.failures.push(`${id} ${model}: ${why}`);
  }
  for (const row of Object.values(groups)) console.log(JSON.stringify(row));
}
