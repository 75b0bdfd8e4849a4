// LangChain for JavaScript: a chain of prompt, model and parser, asked at once and as it comes.
//
//   npm install @langchain/openai @langchain/core
//   OPENAI_BASE_URL=http://localhost:9000/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3 node langchain-js.mjs

import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { ChatOpenAI } from '@langchain/openai';

const {
  OPENAI_BASE_URL: baseURL = 'http://localhost:9000/v1',
  OPENAI_API_KEY: apiKey = 'none',
  OPENAI_MODEL: model = 'smollm2-135m-instruct',
} = process.env;

const chain = ChatPromptTemplate.fromMessages([['user', 'What is a {thing}?']])
  .pipe(new ChatOpenAI({ model, apiKey, configuration: { baseURL }, maxTokens: 64, temperature: 0 }))
  .pipe(new StringOutputParser());

console.log(await chain.invoke({ thing: 'conch' }));

for await (const piece of await chain.stream({ thing: 'conch' })) process.stdout.write(piece);
console.log();
