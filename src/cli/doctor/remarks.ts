import type { Formats } from '../../generate/parsers.ts';
import type { ServedModel } from '../../models/served-model.ts';
import type { PromptAssets } from '../../prompt/assets.ts';
import { vllmRemarks } from './vllm-remarks.ts';

/** What is missing for a model, with the flag that mends it, and what is to be known of its kind. */
export function remarksOn(
  model: ServedModel,
  assets: PromptAssets | undefined,
  formats: Formats | undefined,
): string[] {
  const { name, contract } = model;
  const remarks: string[] = [];
  if (!assets?.template)
    remarks.push(
      `There is no chat template, so chats are refused: --tokenizer ${name}=DIR or --chat-template ${name}=FILE.`,
    );
  if (!contract.counts && !assets?.tokenizer)
    remarks.push(
      `The server does not count tokens, and there is no tokenizer, so there is no usage: --tokenizer ${name}=DIR.`,
    );
  if (model.contextLength() === undefined)
    remarks.push(`Nobody says how long its context is: --context-length ${name}=N.`);
  if (assets?.template?.mentions('tools') && !formats?.tools)
    remarks.push(`No parser of tool calls fits its template, so tools are refused: --tool-call-parser ${name}=NAME.`);
  if (contract.support('skip_special_tokens').kind === 'refused') remarks.push(...strippedMarkers(model, formats));
  if (contract.kind === 'trtllm' && (model.postprocessors ?? 1) > 1)
    remarks.push(
      `Its postprocessing has ${model.postprocessors} instances: chunks of a streamed answer may change places. Set its instance count to 1.`,
    );
  if (contract.speaksTokens && assets && assets.eosTokenIds.length === 0)
    remarks.push(
      `Its tokenizer names no token that ends an answer: add eos_token_id to generation_config.json in ${assets.folder ?? 'its folder'}.`,
    );
  switch (contract.kind) {
    case 'trtllm':
      remarks.push(
        `Text goes through pre- and postprocessing, which break characters that are split over tokens. Straight to the engine is better: --tokenizer ${name}=DIR.`,
        contract.stopRequest
          ? 'When a client leaves or a stop text is met, the engine is told to stop: Triton passes a cancel through an ensemble late or never.'
          : 'When a client leaves or a stop text is met, its answer ends at once, but the engine runs on: nothing gets through to it.',
      );
      break;
    case 'llmapi':
      remarks.push('A request that its server refuses may never be answered: --request-timeout bounds the wait.');
      break;
    case 'trtllm-tokens':
      if (contract.limits.context === undefined)
        remarks.push(`The engine's limits are not known: --engine-dir ${name}=DIR, a folder with its config.json.`);
      break;
    case 'vllm':
      remarks.push(...vllmRemarks(model));
      break;
  }
  return remarks;
}

/** What is lost where the server takes special tokens out of the text. */
function strippedMarkers({ name, contract }: ServedModel, formats: Formats | undefined): string[] {
  const remedy =
    contract.kind === 'trtllm'
      ? `speak to its engine, which keeps them: --contract ${name}=trtllm-tokens and --tokenizer ${name}=DIR.`
      : 'serve the engine as a tensorrt_llm model, which keeps them.';
  const remarks: string[] = [];
  if (formats?.tools?.specialMarkers.length)
    remarks.push(
      `Its tool calls are written with special tokens, which its server takes out, so tools are refused: ${remedy}`,
    );
  if (formats?.reasoning?.specialMarkers.length)
    remarks.push(
      `Its reasoning is marked with special tokens, which its server takes out, so it is a part of the answer: ${remedy}`,
    );
  return remarks;
}
