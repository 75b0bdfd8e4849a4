import { describe, expect, it } from 'vitest';
import { glossary, limits, names, riddles } from '../voice-rules.mjs';
import { brokenVoice } from './voice-check.mjs';

/** @import { Exception } from './voice-check.mjs' */

/**
 * What the check reports of a page with this text, which has a title already.
 * @param {string} text
 * @param {Exception[]} [exceptions]
 */
function findings(text, exceptions = []) {
  const pages = new Map([['docs/page.md', `# Page\n\n${text}\n`]]);
  return brokenVoice({ pages }, { glossary, riddles, names, limits, titles: { 'docs/page.md': 'Page' }, exceptions });
}

/** @param {number} count */
const words = (count) => Array.from({ length: count }, () => 'word').join(' ');

describe('words to avoid', () => {
  const examples = [
    ['Conch returns the response.', 'Conch gives the answer.', 'answer'],
    ['The prompt is empty.', 'The question is empty.', 'question'],
    ['Set a stop sequence.', 'Set stop texts.', 'stop texts'],
    ['The schema is invalid.', 'The form is invalid.', 'form'],
    ['A fault-tolerant store has no failures.', 'It is a Fault.', 'Fault'],
    ['The responses are stored. Keep them.', 'The responses are kept.', 'kept'],
    ['Set the environment variable.', 'Set the variable.', 'variable'],
    ['Open the web UI. This page describes it.', 'Open the page.', 'the page'],
    ['Create a key file.', 'Create a file of keys.', 'file of keys'],
    ['The configuration file is YAML.', 'The file of settings is YAML.', 'file of settings'],
    ['The field is supported.', 'The field is honoured.', 'honoured'],
    ['The field is ignored.', 'The field is without effect.', 'without effect'],
    ['The client disconnected.', 'The client has left.', 'client has left'],
    ['The upstream failed.', 'The server behind it failed.', 'server behind it'],
    ['A worker started.', 'A seat of the pool started.', 'seat'],
    ['The server is unreachable.', 'The server cannot be reached.', 'cannot be reached'],
    ['The context length is 8192. A room is a folder.', 'The prompt has no room.', 'no room'],
    ['The token limit is 16.', 'The most tokens are 16.', 'most tokens'],
    ['The nesting depth is 3.', 'There are lists or objects in each other.', 'lists or objects in each other'],
    ['It has an alias.', 'It has a further name.', 'further name'],
    ['The field is unknown.', 'The field is known to nobody.', 'nobody'],
    ['Anyone may call it.', 'Whoever calls it waits.', 'Whoever'],
    ['The key is in the header. A stand-in runs.', 'The key stands in the header.', 'stands'],
    ['Conch tells the client.', 'The client is told.', 'is told'],
    ['Conch diagnoses the model.', 'The model is spoken to.', 'spoken to'],
    ['Only Conch can. A stand-alone server.', 'Conch alone can.', 'alone'],
    ['Fields such as these.', 'Such fields.', 'Such'],
    ['Its parts.', 'The parts thereof.', 'thereof'],
    ['Conch retries the request.', 'The request is begun again.', 'begun again'],
  ];

  it.each(examples)('accepts %j, not %j', (good = '', bad = '', word = '') => {
    expect(findings(good)).toEqual([]);
    expect(findings(bad)).toEqual([expect.stringMatching(`^docs/page.md:3: "${word}": write `)]);
  });

  it('has an example of each row of the rules', () => {
    const found = examples.flatMap(([, bad = '']) => findings(bad)).join('\n');
    expect([...glossary, ...riddles].filter(({ write }) => !found.includes(`": write ${write}`))).toEqual([]);
  });

  it('leaves out code, comments, definitions and link targets', () => {
    const fenced = '```sh\nanswer\n```\n\n- item\n\n  ```\n  answer\n  ```\n\n<!-- answer\nanswer -->\n';
    expect(findings(`${fenced}\n    an answer, indented\n    an answer\n\n\`answer\` and \`\`an\nanswer\`\``)).toEqual(
      [],
    );
    expect(findings('[text](https://host/answer) and [text][1].\n\n[1]: https://host/answer')).toEqual([]);
  });

  it('names the line of a word in a list, a table, a quote and a phrase over two lines', () => {
    const text = '- one\n  two answer\n\n| a | fault |\n| - | - |\n\n> the client\n> has left';
    expect(findings(text).map((finding) => finding.slice(0, finding.indexOf(': write')))).toEqual([
      'docs/page.md:4: "answer"',
      'docs/page.md:6: "fault"',
      'docs/page.md:9: "client has left"',
    ]);
  });

  it('reads texts of other files as it reads pages', () => {
    const texts = [{ file: 'src/cli/serve.ts', line: 7, text: 'Set the variable.' }];
    expect(
      brokenVoice({ pages: new Map(), texts }, { glossary, riddles, names, limits, titles: {}, exceptions: [] }),
    ).toEqual(['src/cli/serve.ts:7: "variable": write environment variable']);
  });
});

describe('names in the code', () => {
  /** @param {string} name */
  const nameFindings = (name) =>
    brokenVoice(
      { pages: new Map(), names: [{ file: 'src/a.ts', line: 7, name }] },
      { glossary, riddles, names, limits, titles: {}, exceptions: [] },
    );

  it.each(['ResponseReader', 'errorOf', 'defaultModel', 'replaced', 'toldest', 'HTTPError'])('accepts %s', (name) => {
    expect(nameFindings(name)).toEqual([]);
  });

  it.each([
    ['AnswerReader', 'Answer'],
    ['onFault', 'Fault'],
    ['HTTPFault', 'Fault'],
    ['vllm-faults', 'faults'],
    ['last_place', 'place'],
    ['given', 'given'],
  ])('rejects %s', (name, word) => {
    expect(nameFindings(name)).toEqual([
      expect.stringMatching(`^src/a\\.ts:7: the name ${name} has "${word}": write \\w`),
    ]);
  });
});

describe('lengths', () => {
  const tooLong = ['36 words in the sentence "word word word word word …": split it (at most 35)'];

  it.each([
    ['sentences', `${words(35)}. ${words(35)}!`, `One.\n${words(20)}\n${words(15)} [last](page.md).`, 4],
    ['list items', `- ${words(35)}\n- ${words(35)}`, `- ${words(20)}\n  ${words(16)}`, 3],
    ['table cells', `| ${words(20)} | ${words(20)} |`, `| ${words(36).replaceAll('word', 'w')} |`, 3],
    ['code as one word', `${words(34)} \`a b c d\``, `${words(18)}\n${words(17)} \`a\``, 3],
    ['links by their text', `${words(34)} [one](page.md "a title")`, `${words(18)}\n${words(17)} [one](page.md)`, 3],
  ])('counts %s', (_, good, bad, line) => {
    const sentences = (/** @type {string} */ text) => findings(text).filter((finding) => finding.includes('words in'));
    expect(sentences(good)).toEqual([]);
    expect(sentences(bad).map((finding) => finding.replaceAll(/\bw\b/g, 'word'))).toEqual(
      tooLong.map((message) => `docs/page.md:${line}: ${message}`),
    );
  });

  it('counts columns in characters, in code too', () => {
    expect(findings('é'.repeat(120))).toEqual([]);
    expect(findings('😀'.repeat(120))).toEqual([]);
    const message = '121 columns: break the line (at most 120)';
    expect(findings('é'.repeat(121))).toEqual([`docs/page.md:3: ${message}`]);
    expect(findings(`\`\`\`\n${'-'.repeat(121)}\n\`\`\``)).toEqual([`docs/page.md:4: ${message}`]);
  });

  it('counts the characters of a table cell that its reader sees', () => {
    /** @type {Exception[]} */
    const wide = [{ rules: ['line'], reason: 'not this test' }];
    const link = `[${'x'.repeat(150)}](page.md#page)`;
    expect(findings(`| ${link} \`${'y'.repeat(49)}\` | ${'z'.repeat(110)} |`, wide)).toEqual([]);
    expect(findings(`| a |\n| - |\n| ${'x'.repeat(150)} \`${'y'.repeat(50)}\` |`, wide)).toEqual([
      'docs/page.md:5: 201 characters in a table cell: shorten it or use a list (at most 200)',
    ]);
  });
});

describe('titles', () => {
  /**
   * @param {Record<string, string>} pages
   * @param {Record<string, string>} titles
   */
  const titleFindings = (pages, titles) =>
    brokenVoice(
      { pages: new Map(Object.entries(pages)) },
      { glossary, riddles, names, limits, titles, exceptions: [] },
    );

  it('accepts the listed title, also with code', () => {
    expect(titleFindings({ 'a.md': '# Use `conch`\n' }, { 'a.md': 'Use `conch`' })).toEqual([]);
  });

  it('reports another title, an unlisted page, a page without a title and a listed page that is missing', () => {
    const pages = { 'a.md': '<!-- a -->\n\n# Other\n', 'b.md': '# B\n', 'c.md': 'Text.\n\n# C\n' };
    expect(titleFindings(pages, { 'a.md': 'A', 'c.md': 'C', 'd.md': 'D' })).toEqual([
      'a.md:3: the title "Other" is not listed: "A" is in the titles in scripts/voice-rules.mjs',
      'b.md:1: the title "B" is not listed: add it to the titles in scripts/voice-rules.mjs',
      'c.md:1: the page does not begin with a title',
      'd.md:1: the page does not exist: remove it from the titles in scripts/voice-rules.mjs',
    ]);
  });
});

describe('exceptions', () => {
  /** @type {Exception} */
  const phrase = { rules: ['word'], phrase: /in this form/, reason: 'a notation' };

  it('let a phrase pass, not the word elsewhere', () => {
    expect(findings('Send it in this form.', [phrase])).toEqual([]);
    expect(findings('In this\nform, the form.', [phrase])).toEqual([
      'docs/page.md:4: "form": write schema, JSON schema or structured output',
    ]);
  });

  it('hold for their file, section and rule', () => {
    const text = 'An answer.\n\n## Output\n\nAn answer.';
    expect(findings(text, [{ rules: ['word'], file: 'docs/page.md', reason: 'old' }])).toEqual([]);
    expect(findings(text, [{ rules: ['word'], section: 'Output', reason: 'old' }])).toEqual([
      'docs/page.md:3: "answer": write response, completion or message',
    ]);
    expect(findings(text, [{ rules: ['line'], file: 'docs/page.md', reason: 'old' }])).toHaveLength(3);
    expect(findings(text, [{ rules: ['word'], file: 'docs/other.md', reason: 'old' }])).toHaveLength(3);
  });

  it('are reported where nothing needs them', () => {
    /** @type {Exception} */
    const file = { rules: ['word', 'line'], file: 'docs/page.md', section: 'Page', reason: 'generated' };
    expect(findings('An answer.', [phrase, file])).toEqual([
      'scripts/voice-rules.mjs: nothing needs the exception "word" for /in this form/: remove it',
      'scripts/voice-rules.mjs: nothing needs the exception "line" for docs/page.md, Page: remove it',
    ]);
  });
});

it('reports dead links and pages that docs/README.md does not link to', () => {
  const pages = new Map([
    ['docs/README.md', '# Docs\n\n[A](a.md), [gone](gone.md)\n'],
    ['docs/a.md', '# A\n'],
    ['docs/b.md', '# B\n'],
    ['docs/deeper/c.md', '# C\n'],
  ]);
  const titles = { 'docs/README.md': 'Docs', 'docs/a.md': 'A', 'docs/b.md': 'B', 'docs/deeper/c.md': 'C' };
  expect(brokenVoice({ pages }, { glossary, riddles, names, limits, titles, exceptions: [] })).toEqual([
    'docs/README.md:1: no link leads to docs/b.md: add one',
    'docs/README.md:3: the link gone.md leads to docs/gone.md, which does not exist: correct its path',
  ]);
});
