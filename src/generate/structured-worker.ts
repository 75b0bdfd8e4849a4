import { parentPort } from 'node:worker_threads';
import { type JudgedForm, judge } from './structured-judge.ts';

// The thread that holds answers against the forms that clients ask for: their patterns may run for ever.

parentPort?.on('message', ({ form, text }: { form: JudgedForm; text: string }) => {
  parentPort?.postMessage('started');
  parentPort?.postMessage(judge(form, text));
});
