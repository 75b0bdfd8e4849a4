import { MarkerFinder } from '../marker-finder.ts';
import type { CompletionGrammar, CompletionReader, ReadGenerator } from './completion-reader.ts';

interface SectionedCalls {
  /** What encloses all calls; models forget it, so a call is also recognized by its own marker. */
  readonly open?: string;
  readonly close?: string;
  readonly callOpen: string;
  /** Reads a call behind its marker, with what closes it: whether it gave one. */
  readonly readCall: (reader: CompletionReader) => ReadGenerator<boolean>;
}

/** A response with calls that each have a marker and may be in a section. */
export function sectionedCalls({ open, close, callOpen, readCall }: SectionedCalls): CompletionGrammar {
  return function* (reader) {
    const finder = new MarkerFinder(open === undefined ? [callOpen] : [open, callOpen]);
    for (;;) {
      const marker = yield* reader.textUntil(finder);
      if (marker === undefined) return;
      if (marker === open) {
        yield* reader.skipSpace();
        if (!(yield* reader.literal(callOpen))) continue;
      }
      while (yield* readCall(reader)) {
        yield* reader.skipSpace();
        if (yield* reader.literal(callOpen)) continue;
        if (close !== undefined && (yield* reader.literal(close))) reader.drop();
        break;
      }
    }
  };
}
