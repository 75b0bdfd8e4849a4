import type { Logger } from 'pino';
import { GuideGuard } from '../generate/guide-guard.ts';
import { GuideQuarantine } from '../limits/guide-quarantine.ts';
import { SharedQuarantine } from '../limits/shared-quarantine.ts';
import type { Link } from '../link.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { LiveSettings } from './live-settings.ts';

interface GuardOptions {
  readonly live: LiveSettings;
  readonly link: Link;
  readonly logger: Pick<Logger, 'warn'>;
  readonly telemetry: Pick<Telemetry, 'countGuide'>;
}

/** The guard of structured-output guides, which all processes share. */
export function openGuideGuard({ live, link, logger, telemetry }: GuardOptions): GuideGuard {
  const quarantine = new SharedQuarantine(new GuideQuarantine({ duration: () => live.current.guideQuarantine }), link);
  // Without the quarantined guides of other processes, this one starts with an empty list.
  quarantine.join().catch(() => undefined);
  return new GuideGuard({
    quarantine,
    onQuarantine: ({ hash, text, model, server, client, until, suspendedUntil }) => {
      telemetry.countGuide(model, suspendedUntil !== undefined);
      logger.warn(
        { hash, guide: text, model, server, client, until: timeText(until) },
        'an engine failed after a structured-output guide; the guide is quarantined',
      );
      if (suspendedUntil !== undefined)
        logger.warn(
          { client, until: timeText(suspendedUntil) },
          'a client is suspended from structured output: several engines failed after its guides',
        );
    },
  });
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
