/** One change of the source. */
export interface Edit {
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
}

/** A bug that is planted into a copy of the source, to see whether the simulator finds it. */
export interface Mutation extends Edit {
  /** What goes wrong, in a few words. */
  name: string;
  /** Edits of other files, where more than one room guards against the bug. */
  also?: readonly Edit[];
  /** The first worlds find it: planted where time is short. */
  quick?: true;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'Slack is answered before the share is recorded',
    file: 'src/app-options.ts',
    find: "acknowledge: 'after',",
    replace: "acknowledge: 'before',",
  },
  {
    name: 'an event that could not be recorded is acknowledged',
    file: 'src/app.ts',
    find: 'error instanceof LedgerError,',
    replace: 'error instanceof LedgerError && false,',
  },
  {
    name: 'no intent before the create',
    quick: true,
    file: 'src/ledger/claim-transfers.ts',
    find: "        state: 'creating',\n        creatingSince: now,",
    replace: '        creatingSince: now,',
    also: [
      {
        file: 'src/transfers/state.ts',
        find: "  uploaded: ['recorded', 'creating', 'refused'],",
        replace: "  uploaded: ['recorded', 'creating', 'refused', 'uploaded'],",
      },
      {
        file: 'src/transfers/state.ts',
        find: "  created: ['creating'],\n  filed: ['recorded', 'creating', 'created'],",
        replace:
          "  created: ['creating', 'uploaded'],\n  filed: ['recorded', 'creating', 'created', 'uploaded'],",
      },
    ],
  },
  {
    name: 'every failed create counts as without effect',
    file: 'src/worker/create-batch.ts',
    find: "if (error.sent === 'no') {",
    replace: 'if (error.sent) {',
  },
  {
    name: 'an answer that is an error proves that nothing was made',
    file: 'src/worker/create-batch.ts',
    find: "if (error.sent === 'no') {",
    replace: "if (error.sent !== 'unknown') {",
  },
  {
    name: 'twins do not wait for each other',
    file: 'src/transfers/folder-plan.ts',
    find: 'const by = holders.get(likenessOf(one));',
    replace: 'const by = holders.get(String(one.id));',
    also: [
      {
        file: 'src/transfers/folder-plan.ts',
        find: 'if (one.alone === 0 && !batch.has(likeness)) batch.set(likeness, one);',
        replace: 'if (one.alone === 0) batch.set(String(one.id), one);',
      },
      {
        file: 'src/transfers/match-records.ts',
        find: 'possible.filter((file) => !others.some((other) => isSame(other, file)))',
        replace: 'possible',
      },
    ],
  },
  {
    name: 'a create without an answer is sent again',
    quick: true,
    file: 'src/service/create-files.ts',
    find: 'return callOnce(context, { operation, json, options }, (answer) =>',
    replace: 'return callWithRetries(context, { operation, json, options }, (answer) =>',
    also: [
      {
        file: 'src/service/create-files.ts',
        find: 'type CallOptions, callOnce }',
        replace: 'type CallOptions, callWithRetries }',
      },
      {
        file: 'src/service/call.ts',
        find: "if (!repeatable && error.sent !== 'no') throw error;",
        replace: '',
      },
    ],
  },
  {
    name: 'absent is concluded at once',
    file: 'src/app-options.ts',
    find: 'settleMs: REQUEST_TIMEOUT_MS + LATEST_LANDING_MS,',
    replace: 'settleMs: 1,',
  },
  {
    name: 'the window is counted from the start of a request',
    file: 'src/service/throttle/slots.ts',
    find: 'taken.add(slot);',
    replace: 'taken.add(slot);\n        slot.takenAt = clock.now();',
    also: [
      {
        file: 'src/service/throttle/slots.ts',
        find: 'clock.sleep(holdMs, stopping.signal)',
        replace: 'clock.sleep(Math.max(0, slot.takenAt + holdMs - clock.now()), stopping.signal)',
      },
    ],
  },
  {
    name: 'a place comes back with the answer',
    file: 'src/service/throttle/slots.ts',
    find: '          await clock.sleep(holdMs, stopping.signal).catch(() => {});\n',
    replace: '',
  },
  {
    name: 'a place is not given back after a failure',
    file: 'src/service/call.ts',
    find: '    deadline.stop();\n    admission.done({ sent, rateLimitedForMs });\n',
    replace:
      '    deadline.stop();\n    if (rateLimitedForMs !== undefined || !signal?.aborted)\n      admission.done({ sent, rateLimitedForMs });\n',
  },
  {
    name: 'a start does not wait for the window of the process before it',
    file: 'src/app.ts',
    find: 'lastSentAt + limit.windowMs',
    replace: 'lastSentAt',
  },
  {
    name: 'writes are not fenced by the token of their claim',
    file: 'src/ledger/jobs.ts',
    find: 'if (!job) throw leaseLost(',
    replace:
      "if (!job) return { kind: 'folder', key: '' } as JobRow;\n  if (!job) throw leaseLost(",
    also: [
      {
        file: 'src/worker/job-loop.ts',
        find: "if (clock.now() >= job.until) job.abort.abort(new Error('the lease ran out'));",
        replace: '{}',
      },
      {
        file: 'src/worker/job-loop.ts',
        find: "else job.abort.abort(new Error('the lease was lost'));",
        replace: '',
      },
      {
        file: 'src/worker/job.ts',
        find: 'if (clock.now() < leaseUntil()) return;',
        replace: 'if (clock.now() > 0) return;',
      },
    ],
  },
  {
    name: 'a post to Slack without an answer is made again',
    file: 'src/worker/keep-message.ts',
    find: 'if (message.row.replyBegun === 0) return null;',
    replace: 'if (message.row.replyBegun >= 0) return null;',
  },
  {
    name: 'two instances keep the same line',
    quick: true,
    file: 'src/worker/job.ts',
    find: 'claimRow(kind, beginLease())',
    replace: "claimRow(kind, { ...beginLease(), ...(kind === 'share' && { until: clock.now() }) })",
    also: [
      {
        file: 'src/ledger/notifications.ts',
        find: '    if (!(await lockIfHeld(trx, claim.token))) return false;\n',
        replace: '',
      },
    ],
  },
  {
    name: 'a reaction that may be there is not taken off again',
    file: 'src/worker/notify-share.ts',
    find: 'if (reactionBegun && reactionBegun !== name)',
    replace: 'if (reactionBegun && reactionBegun === name)',
  },
  {
    name: 'anybody may delete',
    file: 'src/transfers/rights.ts',
    find: "'delete-file': people('any', 'own', 'none', 'none'),",
    replace: "'delete-file': people('any', 'any', 'any', 'any'),",
  },
  {
    name: 'a channel that is new is read from when it was first listed',
    file: 'src/ledger/readings.ts',
    find: 'rows.push({ team, channel, since });',
    replace: 'rows.push({ team, channel, since: begunTs });',
  },
  {
    name: 'a file that came short is uploaded all the same',
    quick: true,
    file: 'src/service/upload.ts',
    find: 'if (count < size) return done',
    replace: 'if (count < 0) return done',
    also: [
      {
        file: 'src/service/upload.ts',
        find: ", 'Content-Length': contentLength(form) }",
        replace: ' }',
      },
      {
        file: 'src/service/upload.ts',
        find: 'if (sentBytes < size) throw',
        replace: 'if (sentBytes < 0) throw',
      },
    ],
  },
  {
    name: 'a redelivered event is a share of its own',
    quick: true,
    file: 'src/slack/objects.ts',
    find: 'return { team, channel, ts, threadTs,',
    replace: 'return { team, channel, ts: ts + Math.floor(Math.random() * 10), threadTs,',
  },
  {
    name: 'a change while a job runs is not heeded',
    file: 'src/ledger/jobs.ts',
    find: 'const next = earlier(dueAt, job.againAt);',
    replace: 'const next = earlier(dueAt, null);',
  },
  {
    name: 'a folder is done once it was seen to',
    file: 'src/worker/folder.ts',
    find: '{ dueAt: isStuck ? now + STUCK_MS : dueAt }',
    replace: '{ dueAt: isStuck ? now + STUCK_MS : dueAt && null }',
  },
  {
    name: 'leases are not handed back at the stop',
    file: 'src/worker/job-loop.ts',
    find: "    for (const job of this.#jobs.values()) job.abort.abort(new Error('stopping'));\n    await finished;",
    replace: '    this.#jobs.clear();',
  },
  {
    name: 'what is filed quickly gets no line',
    quick: true,
    file: 'src/worker/notify-share.ts',
    find: "if (phase !== 'in-hand' || fails) return now;",
    replace: "if (phase === 'done') return null;\n  if (fails) return now;",
  },
  {
    name: 'the check mark is put when the upload is through',
    file: 'src/blocks/file-lines.ts',
    find: "const IN_HAND = ['waiting', 'sending', 'checking'] as const;",
    replace: "const IN_HAND = ['waiting', 'checking'] as const;",
  },
  {
    name: 'the line of a message that is gone stays in the channel',
    file: 'src/slack/messages.ts',
    find: 'if (!threadTs || !posted || posted.thread_ts) return ts;',
    replace: 'if (ts) return ts;',
  },
  {
    name: 'a skipped file is filed all the same',
    file: 'src/ledger/attention.ts',
    find: '.set(LEFT_IN_SLACK)',
    replace: ".set({ ...LEFT_IN_SLACK, state: 'recorded' })",
  },
  {
    name: 'a search goes through the whole default folder',
    file: 'src/listeners/show-files.ts',
    find: 'if (newest === null && !destination.isDefault)',
    replace: 'if (newest === null)',
  },
  {
    name: 'everybody hears of every channel in their App Home',
    file: 'src/listeners/sight.ts',
    find: '{ channels: seesAll ? null : [...own], sees: (one) => seesAll || isIn(one), isIn }',
    replace: '{ channels: null, sees: () => seesAll || own.size > 0, isIn }',
  },
  {
    name: 'Other folder opens the form for where it is pressed',
    file: 'src/listeners/sight.ts',
    find: 'return { ...asked, channel, isElsewhere };',
    replace: 'return { ...asked, isElsewhere };',
  },
  {
    name: 'a form that takes long never says what came of it',
    file: 'src/listeners/folder-form.ts',
    find: 'context.inBackground(showLate(await outcome, sent, context));',
    replace: 'await outcome;',
  },
  {
    name: 'whoever adds the app is greeted at each delivery',
    file: 'src/listeners/events.ts',
    find: 'if (isNews) context',
    replace: 'context',
  },
  {
    name: 'anybody may link a channel',
    file: 'src/transfers/rights.ts',
    find: "'link-channel': people('any', 'setting', 'none', 'none'),",
    replace: "'link-channel': people('any', 'any', 'any', 'any'),",
  },
  {
    name: 'what a channel was read up to counts as all that there is by then',
    file: 'src/worker/catch-up.ts',
    find: 'const readTs = slackTsBefore(readAt);',
    replace: 'const readTs = slackTs(readAt);',
  },
  {
    name: 'threads are read only once a day, whatever was interrupted',
    file: 'src/worker/catch-up.ts',
    find: 'missed.isRestDue || isInterrupted || isOld || !isWhole;',
    replace: 'isOld || !isWhole;',
  },
  {
    name: 'a file that no event brought says nothing of other channels and threads',
    file: 'src/worker/catch-up.ts',
    find: '!isKnownGap && missed.shares.length > 0;',
    replace: 'false;',
  },
  {
    name: 'channels are caught up at a start alone',
    file: 'src/worker/catch-up.ts',
    find: 'const HOUR_MS = 60 * 60 * 1000;',
    replace: 'const HOUR_MS = 500 * 60 * 60 * 1000;',
  },
  {
    name: 'a list of files is always empty',
    file: 'src/listeners/show-files.ts',
    find: 'const total = await context.ledger.countRecords(folder);',
    replace: 'const total = 0 * (await context.ledger.countRecords(folder));',
  },
  {
    name: 'members may not delete what they shared',
    file: 'src/listeners/delete-file.ts',
    find: "verdictOn(asked, 'delete-file', ownerOf(filed))",
    replace: "verdictOn(asked, 'delete-file', null)",
  },
  {
    name: 'what is deleted in Slack stays, whatever was set',
    file: 'src/worker/deletions.ts',
    find: "context.onSlackDelete === 'follow' &&",
    replace: "context.onSlackDelete === 'keep' &&",
  },
  {
    name: 'commands are not acknowledged',
    file: 'src/listeners/commands.ts',
    find: '      await ack();\n',
    replace: '',
    also: [
      {
        file: 'src/listeners/commands.ts',
        find: 'async ({ ack, command, respond }) => {',
        replace: 'async ({ command, respond }) => {',
      },
    ],
  },
  {
    name: 'a link is announced, and files go where they went',
    file: 'src/transfers/share.ts',
    find: '(await findLink(channel)) ?? unlinked',
    replace: 'unlinked',
  },
  {
    name: 'an unlink is announced, and the link stands',
    file: 'src/ledger/change-link.ts',
    find: '.set(NO_LINK)',
    replace: '.set({ team: ref.team })',
  },
  {
    name: 'what is deleted in Slack goes too, whatever was set and nobody asked',
    file: 'src/worker/deletions.ts',
    find: "context.onSlackDelete === 'follow' &&",
    replace: "context.onSlackDelete !== 'keep' &&",
  },
  {
    name: 'a sharer is asked at each event about the same file',
    file: 'src/worker/deletions.ts',
    find: '.filter(({ transfer }) => transfer.askedAt === null)',
    replace: '',
    also: [
      {
        file: 'src/worker/deletions.ts',
        find: '    if (transfer.askedAt !== null && !isFollowed) continue;\n',
        replace: '',
      },
      {
        file: 'src/ledger/deletions.ts',
        find: "      .where('askedAt', 'is', null)\n",
        replace: '',
      },
    ],
  },
  {
    name: 'what was saved to any folder counts as filed for its channel',
    file: 'src/ledger/record-share.ts',
    find: 'known.filter((row) => ways.has(wayOf(row)))',
    replace: 'known',
  },
  {
    name: 'what is saved does not heed the same file on its way by itself',
    file: 'src/ledger/migrations/first.ts',
    find: 'create unique index transfers_once',
    replace: 'create index transfers_once',
  },
  {
    name: 'anybody may save files by hand',
    file: 'src/listeners/save-files.ts',
    find: "if (reason !== 'allowed') return views.saveRefused(",
    replace: "if (reason === 'other-workspace') return views.saveRefused(",
    also: [
      {
        file: 'src/listeners/save-files.ts',
        find: "if (verdict !== 'allowed') return refused(verdict);",
        replace: "if (verdict === 'other-workspace') return refused(verdict);",
      },
    ],
  },
  {
    name: 'a file is refused where the service fails for the moment',
    file: 'src/worker/settle.ts',
    find: 'if (verdict.retry && isWorthAnotherTry(code, { since, now, last }))',
    replace:
      "if (verdict.retry && code !== 'SERVICE_FAILED' && isWorthAnotherTry(code, { since, now, last }))",
  },
  {
    name: 'a held folder is told of at every file',
    file: 'src/ledger/holds.ts',
    find: 'note.where(isNew)',
    replace: 'note',
    also: [
      {
        file: 'src/worker/notify-hold.ts',
        find: '!linkIfTo(folder, link) || !reason || link.pauseNotified',
        replace: '!linkIfTo(folder, link) || !reason',
      },
    ],
  },
  {
    name: 'a hold keeps its files when it ends',
    file: 'src/ledger/holds.ts',
    find: '    await resumeJobs(trx, { now });\n',
    replace: '',
    also: [
      {
        file: 'src/ledger/holds.ts',
        find: '  if (isEnded) await resumeJobs(db, { now, waits: true });\n',
        replace: '',
      },
      {
        file: 'src/ledger/holds.ts',
        find: '    await updateTransfers(trx, now, told, dueAgain(now));\n',
        replace: '    void told;\n    void dueAgain;\n    void updateTransfers;\n',
      },
    ],
  },
  {
    name: 'a line stays as it was first posted',
    file: 'src/worker/keep-message.ts',
    find: 'if (ts) await update(message, { ts, body }, context);',
    replace: 'if (ts) await Promise.resolve();',
  },
  {
    name: 'a line has no mark to be found by',
    file: 'src/slack/messages.ts',
    find: '...QUIET, metadata };',
    replace: '...QUIET, ...(metadata ? {} : { metadata }) };',
  },
  {
    name: 'what a look finds counts as unclear',
    file: 'src/worker/view-folder.ts',
    find: "if (match.verdict === 'found') return match;",
    replace:
      "if (match.verdict === 'found') return unclear('a record of its folder may be its own');",
  },
  {
    name: 'a key that is not accepted refuses files for good',
    file: 'src/base/errors.ts',
    find: "return isPermanent && error.code !== 'SERVICE_UNAUTHORIZED';",
    replace: 'return isPermanent;',
  },
  {
    name: 'an answer about a file deleted in Slack counts for all questions of its message',
    file: 'src/listeners/delete-file.ts',
    find: 'userId === share.userId && askedAt === at);',
    replace: 'userId === share.userId && askedAt !== null && at > 0);',
  },
  {
    name: 'a file that somebody deleted counts as filed',
    file: 'src/ledger/records.ts',
    find: "set({ state: 'deleted', deletedBy });",
    replace: "set({ state: deletedBy ? 'filed' : 'deleted', deletedBy });",
  },
  {
    name: 'with one file that is deleted in Slack all of its message are left',
    file: 'src/ledger/deletions.ts',
    find: "(isMessage(deleted) ? eb.lit(true) : eb(DELETED_AS, '=', deleted.what))",
    replace: "(isMessage(deleted) ? eb.lit(true) : eb(DELETED_AS, 'is not', null))",
  },
  {
    name: 'each post of a line has a mark of its own',
    file: 'src/slack/messages.ts',
    find: 'event_payload: { ...mark } };',
    replace: 'event_payload: { ...mark, id: mark.id + Math.random() } };',
  },
  {
    name: 'a line counts all files as filed where some are',
    file: 'src/blocks/share-line.ts',
    find: 'shownNumber(files.length)} of',
    replace: 'shownNumber(total)} of',
  },
  {
    name: 'a file that an edit adds is not heeded',
    file: 'src/listeners/events.ts',
    find: '(parseShare(event, at) ?? parseAddedFiles(event, at))',
    replace: 'parseShare(event, at)',
    also: [
      {
        file: 'src/listeners/events.ts',
        find: '  parseAddedFiles,\n',
        replace: '',
      },
    ],
  },
  {
    name: 'of a message that is known by an edit the other files count as known',
    file: 'src/ledger/shares.ts',
    find: 'files: share.files.filter((file) => !isKnown(file))',
    replace:
      'files: rows.some(({ message }) => message === messageOf(share)) ? [] : share.files.filter((file) => !isKnown(file))',
  },
];
