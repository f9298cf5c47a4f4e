// A server of Chat Completions, text only, with a real small model: `server.mjs MODEL.gguf` prints its port. It knows no tools.
import { createServer } from 'node:http';
import { LlamaCompletion, LlamaText, SpecialTokensText, getLlama } from 'node-llama-cpp';

const llama = await getLlama({ build: 'never', gpu: false, logLevel: 'error' });
const model = await llama.loadModel({ modelPath: process.argv[2] });
const context = await model.createContext({ contextSize: 2048, threads: 1 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });

const text = (content) => (typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join(''));
// The chat template of SmolLM2: ChatML.
const prompt = (messages) =>
  messages.map(({ role, content }) => `<|im_start|>${role}\n${text(content)}<|im_end|>\n`).join('') + '<|im_start|>assistant\n';

async function answer({ messages, max_tokens = 200, stream = false }, response) {
  const send = (delta, finish_reason = null) =>
    response.write(`data: ${JSON.stringify({ id: 'live', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  if (stream) response.setHeader('content-type', 'text/event-stream');
  if (process.env.LIVE_LOG) console.error(JSON.stringify(messages));
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { response: written, metadata } = await completion.generateCompletionWithMeta(LlamaText([new SpecialTokensText(prompt(messages))]), {
    maxTokens: Math.min(max_tokens, 200),
    temperature: 0,
    customStopTriggers: ['<|im_end|>'],
    signal: gone.signal,
    stopOnAbortSignal: true,
    onTextChunk: stream ? (content) => send({ content }) : undefined,
  });
  const finish = metadata.stopReason === 'maxTokens' ? 'length' : 'stop';
  if (process.env.LIVE_LOG) console.error(JSON.stringify(written));
  if (stream) {
    send({}, finish);
    return response.end('data: [DONE]\n\n');
  }
  response.setHeader('content-type', 'application/json');
  const message = { role: 'assistant', content: written };
  response.end(JSON.stringify({ id: 'live', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }] }));
}

// One context: a request waits for the one before it.
let last = Promise.resolve();
const server = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return response.writeHead(404).end('{}');
  last = last.then(() => answer(JSON.parse(body), response)).catch((error) => {
    if (!response.headersSent) response.writeHead(500);
    response.end(JSON.stringify({ error: { message: String(error) } }));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
