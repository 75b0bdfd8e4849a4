// Vercel's AI SDK: an answer at once, and one as it comes.
//
//   npm install ai @ai-sdk/openai-compatible
//   OPENAI_BASE_URL=http://localhost:9000/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3 node vercel-ai.mjs

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';

const {
  OPENAI_BASE_URL: baseURL = 'http://localhost:9000/v1',
  OPENAI_API_KEY: apiKey = 'none',
  OPENAI_MODEL: model = 'smollm2-135m-instruct',
} = process.env;

const conch = createOpenAICompatible({ name: 'conch', baseURL, apiKey });
const request = { model: conch(model), prompt: 'What is a conch?', maxOutputTokens: 64, temperature: 0 };

const { text } = await generateText(request);
console.log(text);

for await (const piece of streamText(request).textStream) process.stdout.write(piece);
console.log();
