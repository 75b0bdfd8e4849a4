import type { Formats } from '../../generate/parsers.ts';
import type { ServedModel } from '../../models/served-model.ts';
import type { PromptAssets } from '../../prompt/assets.ts';
import { vllmRemarks } from './vllm-remarks.ts';

/** What is missing for a model, with the flag that adds it, and notes about its kind. */
export function remarksOn(
  model: ServedModel,
  assets: PromptAssets | undefined,
  formats: Formats | undefined,
): string[] {
  const { name, contract } = model;
  const remarks: string[] = [];
  if (!assets?.template)
    remarks.push(
      `No chat template, so Conch rejects chat requests. Set --tokenizer ${name}=DIR or --chat-template ${name}=FILE.`,
    );
  if (!contract.counts && !assets?.tokenizer)
    remarks.push(
      `No token counts, because the server does not count tokens and there is no tokenizer. Set --tokenizer ${name}=DIR.`,
    );
  if (model.contextLength() === undefined)
    remarks.push(`Context length unknown. Set it with --context-length ${name}=8192.`);
  if (assets?.template?.mentions('tools') && !formats?.tools)
    remarks.push(
      `No tool parser matches its chat template, so Conch rejects tools. Set --tool-call-parser ${name}=NAME.`,
    );
  if (contract.support('skip_special_tokens').kind === 'refused') remarks.push(...strippedMarkers(model, formats));
  if (contract.kind === 'trtllm' && (model.postprocessors ?? 1) > 1)
    remarks.push(
      `Its postprocessing has ${model.postprocessors} instances, so chunks of a streamed response may arrive in the wrong order. Set its instance count to 1.`,
    );
  if (contract.kind === 'trtllm-tokens' && assets && assets.eosTokenIds.length === 0)
    remarks.push(
      `Its tokenizer has no end token. Add eos_token_id to generation_config.json in ${assets.folder ?? 'its folder'}.`,
    );
  return [...remarks, ...kindRemarks(model)];
}

/** What is special about models of a contract. */
function kindRemarks(model: ServedModel): readonly string[] {
  const { name, contract } = model;
  switch (contract.kind) {
    case 'trtllm':
      return [
        `Its pre- and postprocessing break characters that span several tokens. To send requests directly to the engine, set --tokenizer ${name}=DIR.`,
        contract.stopRequest
          ? 'When a client disconnects or a stop sequence occurs, Conch sends the engine a stop request: Triton passes a cancellation through an ensemble late or never.'
          : 'When a client disconnects or a stop sequence occurs, the response ends at once, but the engine continues: Conch cannot stop it.',
      ];
    case 'llmapi':
      return [
        'The server may never respond to a request that it rejects. Limit the wait with --request-timeout.',
        ...(contract.images.kind === 'taken'
          ? [
              'It declares image_url, but ignores images unless its model.yaml sets triton_config.multimodal. Set that for a model that takes images.',
            ]
          : []),
      ];
    case 'trtllm-tokens':
      return contract.limits.context === undefined
        ? [`Limits of the engine unknown. Set --engine-dir ${name}=DIR, the folder of its config.json.`]
        : [];
    case 'conch-tokens':
      return [
        ...(contract.speaksTokens
          ? []
          : [
              `Conch has no tokenizer for it, so requests are text and logprobs are rejected. Set --tokenizer ${name}=DIR.`,
            ]),
        ...vllmRemarks(model),
      ];
    case 'vllm':
      return vllmRemarks(model);
  }
}

/** What does not work where the server removes special tokens from the text. */
function strippedMarkers({ name, contract }: ServedModel, formats: Formats | undefined): string[] {
  const remedy =
    contract.kind === 'trtllm'
      ? `Use its engine directly, which keeps them: set --contract ${name}=trtllm-tokens and --tokenizer ${name}=DIR.`
      : 'Serve the engine as a tensorrt_llm model, which keeps them.';
  const remarks: string[] = [];
  if (formats?.tools?.specialMarkers.length)
    remarks.push(`Its tool calls contain special tokens, which its server removes, so Conch rejects tools. ${remedy}`);
  if (formats?.reasoning?.specialMarkers.length)
    remarks.push(
      `Its reasoning is marked with special tokens, which its server removes, so it is part of the response text. ${remedy}`,
    );
  return remarks;
}
