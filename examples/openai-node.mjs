// OpenAI's package for Node: an answer at once, and one as it comes.
//
//   npm install openai
//   OPENAI_BASE_URL=http://localhost:9000/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3 node openai-node.mjs

import OpenAI from 'openai';

const {
  OPENAI_BASE_URL: baseURL = 'http://localhost:9000/v1',
  OPENAI_API_KEY: apiKey = 'none',
  OPENAI_MODEL: model = 'smollm2-135m-instruct',
} = process.env;

const client = new OpenAI({ baseURL, apiKey });
const request = {
  model,
  messages: [{ role: 'user', content: 'What is a conch?' }],
  max_tokens: 64,
  temperature: 0,
};

const answer = await client.chat.completions.create(request);
console.log(answer.choices[0].message.content);

for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
  process.stdout.write(chunk.choices[0].delta.content ?? '');
console.log();
