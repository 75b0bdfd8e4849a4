import type { Agent } from '../agent.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { continueCli } from './continue.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';
import { qwenCode } from './qwen-code.ts';

/** Every client that the tests run, from test/agents/package.json. */
export const agents: readonly Agent[] = [codex, claudeCode, opencode, geminiCli, qwenCode, continueCli];
