// The same as judge.py, for clients of Node.js.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export const GATEWAY = process.env.GATEWAY;
export const READ_FILE = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
export const READ_FILE_INPUT = z.object({ path: z.string() });

const plain = (text) => text.replace(/\s+/g, '');

// What is undefined a client cannot show.
function difference(want, saw) {
  for (const key of ['text', 'reasoning', 'calls', 'end']) {
    if (saw[key] === undefined || (want.end === 'error' && (key === 'text' || key === 'reasoning'))) continue;
    const [have, need] = key === 'calls' ? [saw[key], want[key]] : [plain(saw[key]), plain(want[key])];
    if (!isDeepStrictEqual(have, need)) return `${key}: ${JSON.stringify(saw[key])} and not ${JSON.stringify(want[key])}`;
  }
}


globalThis.AI_SDK_LOG_WARNINGS = false;

export async function judge(client, ask, without = []) {
  const { scenarios, dialects, cuts } = await (await fetch(process.env.UPSTREAM + '/scenarios')).json();
  for (const [scenario, want] of Object.entries(scenarios)) {
    const failures = [];
    let n = 0;
    for (const dialect of dialects)
      for (const cut of cuts) {
        if (without.includes(scenario) || (scenario === 'around' && dialect === 'mistral')) continue;
        n += 1;
        let saw;
        try {
          saw = await ask(`${scenario}.${dialect}.${cut}`, scenario);
        } catch (error) {
          saw = { calls: [], end: 'error', why: String(error).slice(0, 300) };
        }
        const why = difference(want, saw);
        if (why) failures.push(`${dialect} ${cut}: ${why} ${saw.why ?? ''}`);
      }
    console.log(JSON.stringify({ client, scenario, n, failures }));
  }
}
