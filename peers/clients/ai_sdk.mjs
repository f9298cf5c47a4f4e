// The AI SDK's `streamText` with four of its providers.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { NoSuchToolError, jsonSchema, streamText, tool } from 'ai';
import { GATEWAY, judge } from './judge.mjs';

const baseURL = GATEWAY + '/v1';
const openai = createOpenAI({ baseURL, apiKey: 'any' });
const compatible = createOpenAICompatible({ name: 'toolglot', baseURL, apiKey: 'any' });
const anthropic = createAnthropic({ baseURL, apiKey: 'any' });
const HISTORY = [
  { role: 'user', content: 'Read a.rs.' },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'read_file', input: { path: 'a.rs' } }] },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'read_file', output: { type: 'text', value: 'hello' } }] },
];
const ENDS = { 'tool-calls': 'call' };

const asker = (provider, own, hasReasoning) => async (model, scenario, functions) => {
  const tools = scenario === 'case' ? {} : { ...own };
  for (const { name, description, parameters } of functions) tools[name] = tool({ description, inputSchema: jsonSchema(parameters) });
  const messages = scenario === 'result' ? HISTORY : [HISTORY[0]];
  const toolChoice = scenario === 'choice' ? 'required' : 'auto';
  let failure;
  const onError = ({ error }) => (failure ??= error);
  const stream = streamText({ model: provider(model), messages, tools, toolChoice, maxRetries: 0, onError });
  const saw = { text: '', reasoning: '', calls: [] };
  for await (const part of stream.fullStream) {
    if (part.type === 'error') failure ??= part.error;
    if (part.type === 'text-delta') saw.text += part.text;
    if (part.type === 'reasoning-delta') saw.reasoning += part.text;
    if (part.type === 'tool-call') {
      // A name that no tool has is the client's to judge.
      if (part.invalid && !NoSuchToolError.isInstance(part.error)) failure ??= part.error;
      saw.calls.push([part.toolName, part.input]);
    }
  }
  if (failure) return { ...saw, end: 'error', why: String(failure).slice(0, 300) };
  if (!hasReasoning) delete saw.reasoning;
  const end = await stream.finishReason;
  return { ...saw, end: ENDS[end] ?? end };
};

const patch = { apply_patch: openai.tools.customTool({ name: 'apply_patch', description: 'Patches files.' }) };
// @ai-sdk/openai shows neither reasoning of Chat Completions nor `reasoning_text` of Responses, only summaries.
await judge('@ai-sdk/openai chat', asker((model) => openai.chat(model), {}, false), ['freeform']);
await judge('@ai-sdk/openai responses', asker((model) => openai.responses(model), patch, false));
await judge('@ai-sdk/openai-compatible', asker((model) => compatible(model), {}, true), ['freeform']);
await judge('@ai-sdk/anthropic', asker((model) => anthropic(model), {}, true), ['freeform']);
