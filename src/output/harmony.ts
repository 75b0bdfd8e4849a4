/** The special tokens that frame the messages of gpt-oss. */
export const START = '<|start|>';
export const CHANNEL = '<|channel|>';
const CONSTRAIN = '<|constrain|>';
export const MESSAGE = '<|message|>';
const CALL = '<|call|>';
export const END = '<|end|>';
export const RETURN = '<|return|>';

/** Each of them ends a message. */
export const MESSAGE_ENDS = [CALL, END, RETURN];

export const HARMONY_MARKERS = [START, CHANNEL, CONSTRAIN, MESSAGE, CALL, END, RETURN];

/** The prefix of the name of a function that a message is for. */
export const FUNCTIONS = 'functions.';

/** Whether a chat template writes messages in this format. */
export function isHarmony(template: string): boolean {
  return template.includes(START) && template.includes(CHANNEL);
}
