// openai-node: `chat.completions.stream()` and `responses.stream()`.
import OpenAI from 'openai';
import { GATEWAY, judge } from './judge.mjs';

const client = new OpenAI({ baseURL: GATEWAY + '/v1', apiKey: 'any', maxRetries: 0 });
const USER = { role: 'user', content: 'Read a.rs.' };
const CALL = { name: 'read_file', arguments: '{"path": "a.rs"}' };
const CHAT_HISTORY = [
  USER,
  { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: CALL }] },
  { role: 'tool', tool_call_id: 'call_1', content: 'hello' },
];
const ITEMS = [
  USER,
  { type: 'function_call', call_id: 'call_1', ...CALL },
  { type: 'function_call_output', call_id: 'call_1', output: 'hello' },
];
const choice = (scenario) => (scenario === 'choice' ? { tool_choice: 'required' } : {});

async function chat(model, scenario, functions) {
  const tools = functions.map((tool) => ({ type: 'function', function: tool }));
  const messages = scenario === 'result' ? CHAT_HISTORY : [USER];
  const stream = client.chat.completions.stream({ model, messages, tools, ...choice(scenario) });
  let reasoning = '';
  for await (const chunk of stream) reasoning += chunk.choices[0]?.delta.reasoning_content ?? '';
  const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0];
  return {
    text: message.content ?? '',
    reasoning,
    calls: (message.tool_calls ?? []).map((call) => [call.function.name, JSON.parse(call.function.arguments)]),
    end: finish_reason === 'tool_calls' ? 'call' : finish_reason,
  };
}

async function responses(model, scenario, functions) {
  const tools = functions.map((tool) => ({ type: 'function', strict: false, ...tool }));
  if (scenario !== 'case') tools.push({ type: 'custom', name: 'apply_patch', description: 'Patches files.' });
  const input = scenario === 'result' ? ITEMS : [USER];
  const stream = client.responses.stream({ model, input, tools, ...choice(scenario) });
  for await (const event of stream)
    if (event.type === 'error' || event.type === 'response.failed') throw new Error(event.type);
  const final = await stream.finalResponse();
  const saw = { text: '', reasoning: '', calls: [] };
  for (const item of final.output) {
    if (item.type === 'message') saw.text += item.content.map((part) => part.text).join('');
    if (item.type === 'reasoning') saw.reasoning += [...(item.summary ?? []), ...(item.content ?? [])].map((part) => part.text).join('');
    if (item.type === 'function_call') saw.calls.push([item.name, JSON.parse(item.arguments)]);
    if (item.type === 'custom_tool_call') saw.calls.push([item.name, item.input]);
  }
  saw.end = final.status === 'incomplete' ? 'length' : saw.calls.length ? 'call' : 'stop';
  return saw;
}

await judge('openai-node chat', chat, ['freeform']);
await judge('openai-node responses', responses);
