import type { Clock, Random } from '../../../base/index.ts';

const LIFE_MS = 3_000;

/** What a trigger was issued for. */
export interface Trigger {
  userId: string;
  /** The view in which the person acted, if any; `views.push` opens the new view on top of it. */
  viewId?: string | undefined;
}

/**
 * Issues identifiers with which the app can open one view within 3 s
 * (https://docs.slack.dev/interactivity/handling-user-interaction).
 */
export interface Triggers {
  issue(trigger: Trigger): string;
  /** Consumes a trigger; returns Slack's error code if it is unknown, used or expired. */
  take(id: string): Trigger | string;
}

export function createTriggers({ clock, random }: { clock: Clock; random: Random }): Triggers {
  const issued = new Map<string, Trigger & { until: number; used: boolean }>();
  return {
    issue: (trigger) => {
      const now = clock.now();
      const id = `${now}.${Math.floor(now / 1000)}.${random.id().replaceAll('-', '')}`;
      issued.set(id, { ...trigger, until: now + LIFE_MS, used: false });
      return id;
    },
    take: (id) => {
      const trigger = issued.get(id);
      if (!trigger) return 'invalid_trigger_id';
      if (trigger.used) return 'exchanged_trigger_id';
      if (clock.now() >= trigger.until) return 'expired_trigger_id';
      trigger.used = true;
      return trigger;
    },
  };
}
