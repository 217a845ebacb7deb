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
  /** The seed of a world that found it, which is tried first. */
  world?: number;
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
    world: 5,
    file: 'src/ledger/claim-transfers.ts',
    find: "        state: 'creating',\n        creatingSince: now,",
    replace: '        creatingSince: now,',
    also: [
      {
        file: 'src/core/state.ts',
        find: "  uploaded: ['recorded', 'creating', 'refused'],",
        replace: "  uploaded: ['recorded', 'creating', 'refused', 'uploaded'],",
      },
      {
        file: 'src/core/state.ts',
        find: "  created: ['creating'],",
        replace: "  created: ['creating', 'uploaded'],",
      },
      {
        file: 'src/ledger/steps.ts',
        find: "(state not in ('recorded', 'uploaded') or earlier is not null)",
        replace: "(state <> 'recorded' or earlier is not null)",
      },
    ],
  },
  {
    name: 'every failed create counts as without effect',
    world: 5,
    file: 'src/engine/create-batch.ts',
    find: "if (error.sent === 'no') {",
    replace: 'if (error.sent) {',
  },
  {
    name: 'an answer that is an error proves that nothing was made',
    file: 'src/engine/create-batch.ts',
    find: "if (error.sent === 'no') {",
    replace: "if (error.sent !== 'unknown') {",
  },
  {
    name: 'twins do not wait for each other',
    world: 4,
    file: 'src/core/folder-plan.ts',
    find: 'const by = holders.get(likenessOf(one));',
    replace: 'const by = holders.get(String(one.id));',
    also: [
      {
        file: 'src/core/folder-plan.ts',
        find: 'if (one.alone === 0 && !batch.has(likeness)) batch.set(likeness, one);',
        replace: 'if (one.alone === 0) batch.set(String(one.id), one);',
      },
      {
        file: 'src/core/match-records.ts',
        find: 'possible.filter((file) => !others.some((other) => isSame(other, file)))',
        replace: 'possible',
      },
    ],
  },
  {
    name: 'a create without an answer is sent again',
    world: 5,
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
    world: 0,
    file: 'src/app-options.ts',
    find: 'settleMs: REQUEST_TIMEOUT_MS + LATEST_LANDING_MS,',
    replace: 'settleMs: 1,',
  },
  {
    name: 'a place comes back with the answer',
    file: 'src/service/throttle/slots.ts',
    find: '          await clock.sleep(takenForMs, stopping.signal).catch(() => {});\n',
    replace: '',
  },
  {
    name: 'a place is not given back after a failure',
    file: 'src/service/call.ts',
    find: '    admission.done(outcome());\n',
    replace:
      '    if (rateLimitedForMs !== undefined || !signal?.aborted) admission.done(outcome());\n',
  },
  {
    name: 'a start does not wait for the window of the process before it',
    world: 145,
    file: 'src/app.ts',
    find: 'lastSentAt + limit.windowMs',
    replace: 'lastSentAt',
  },
  {
    name: 'writes are not fenced by the token of their claim',
    world: 0,
    file: 'src/ledger/jobs.ts',
    find: 'if (!job) throw leaseLost(',
    replace:
      "if (!job) return run(trx, { kind: 'upload', key: '' } as JobRow);\n    if (!job) throw leaseLost(",
    also: [
      {
        file: 'src/engine/job-loop.ts',
        find: "if (clock.now() >= job.until) job.abort.abort(new Error('the lease ran out'));",
        replace: '{}',
      },
      {
        file: 'src/engine/job-loop.ts',
        find: "else job.abort.abort(new Error('the lease was lost'));",
        replace: '',
      },
      {
        file: 'src/engine/job.ts',
        find: 'if (clock.now() < leaseUntil()) return;',
        replace: 'if (clock.now() > 0) return;',
      },
    ],
  },
  {
    name: 'a post to Slack without an answer is made again',
    file: 'src/engine/keep-message.ts',
    find: 'if (row.begun === 0) return null;',
    replace: 'if (row.begun >= 0) return null;',
  },
  {
    name: 'two instances keep the same line',
    world: 1,
    file: 'src/engine/keep-message.ts',
    find: 'claimMessage(beginLease())',
    replace: 'claimMessage({ ...beginLease(), until: context.clock.now() })',
    also: [
      {
        file: 'src/ledger/messages.ts',
        find: '    if (!(await lockIfHeld(trx, token))) return false;\n',
        replace: '',
      },
    ],
  },
  {
    name: 'a reaction that may be there is not taken off again',
    file: 'src/engine/react.ts',
    find: 'if (reactionBegun && reactionBegun !== name)',
    replace: 'if (reactionBegun && reactionBegun === name)',
  },
  {
    name: 'anybody may delete',
    file: 'src/core/rights.ts',
    find: "'delete-file': people('any', 'own', 'none', 'none'),",
    replace: "'delete-file': people('any', 'any', 'any', 'any'),",
  },
  {
    name: 'a channel that is new is read from when it was first listed',
    world: 45,
    file: 'src/ledger/catch-ups.ts',
    find: 'catchUpSince: since,',
    replace: 'catchUpSince: begunTs,',
  },
  {
    name: 'a file that came short is uploaded all the same',
    world: 1,
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
    world: 1,
    file: 'src/slack/objects.ts',
    find: 'return { team, channel, ts, threadTs,',
    replace: 'return { team, channel, ts: ts + Math.floor(Math.random() * 10), threadTs,',
  },
  {
    name: 'a change while a job runs is not heeded',
    file: 'src/ledger/jobs.ts',
    find: ' and again_at is null returning *',
    replace: ' returning *',
  },
  {
    name: 'a folder is done once it was seen to',
    file: 'src/engine/folder.ts',
    find: '{ dueAt: isStuck ? now + STUCK_MS : dueAt }',
    replace: '{ dueAt: isStuck ? now + STUCK_MS : dueAt && null }',
  },
  {
    name: 'leases are not handed back at the stop',
    world: 230,
    file: 'src/engine/job-loop.ts',
    find: "    for (const job of this.#jobs.values()) job.abort.abort(new Error('stopping'));\n    await finished;",
    replace: '    this.#jobs.clear();',
  },
  {
    name: 'what is filed quickly gets no line',
    world: 1,
    file: 'src/surfaces/share-line/render-share.ts',
    find: "if (phase !== 'in-hand' || fails) return now;",
    replace: "if (phase === 'done') return null;\n  if (fails) return now;",
  },
  {
    name: 'the check mark is put when the upload is through',
    file: 'src/surfaces/kit/file-lines.ts',
    find: "const IN_HAND = ['waiting', 'sending', 'checking'] as const;",
    replace: "const IN_HAND = ['waiting', 'checking'] as const;",
  },
  {
    name: 'the line of a message that is gone stays in the channel',
    world: 147,
    file: 'src/slack/messages.ts',
    find: 'if (!threadTs || !posted || posted.thread_ts) return ts;',
    replace: 'if (ts) return ts;',
  },
  {
    name: 'a skipped file is filed all the same',
    world: 6,
    file: 'src/ledger/attention.ts',
    find: '.set(LEFT_IN_SLACK)',
    replace: ".set({ ...LEFT_IN_SLACK, state: 'recorded' })",
  },
  {
    name: 'a search goes through the whole default folder',
    file: 'src/surfaces/files/show-files.ts',
    find: 'if (newest === null && !destination.isDefault)',
    replace: 'if (newest === null)',
  },
  {
    name: 'everybody hears of every channel in their App Home',
    file: 'src/surfaces/kit/sight.ts',
    find: '{ channels: seesAll ? null : [...own], sees: (one) => seesAll || isIn(one), isIn }',
    replace: '{ channels: null, sees: () => seesAll || own.size > 0, isIn }',
  },
  {
    name: 'Other folder opens the form for where it is pressed',
    world: 202,
    file: 'src/surfaces/kit/sight.ts',
    find: 'return { ...asked, channel, isElsewhere };',
    replace: 'return { ...asked, isElsewhere };',
  },
  {
    name: 'a form that takes long never says what came of it',
    file: 'src/surfaces/link/folder-form.ts',
    find: 'context.inBackground(showLate(await outcome, sent, context));',
    replace: 'await outcome;',
  },
  {
    name: 'whoever adds the app is greeted at each delivery',
    world: 66,
    file: 'src/surfaces/link/listen-for-channels.ts',
    find: 'if (isNews) context',
    replace: 'context',
  },
  {
    name: 'anybody may link a channel',
    file: 'src/core/rights.ts',
    find: "'link-channel': people('any', 'setting', 'none', 'none'),",
    replace: "'link-channel': people('any', 'any', 'any', 'any'),",
  },
  {
    name: 'what a channel was read up to counts as all that there is by then',
    world: 49,
    file: 'src/engine/catch-up.ts',
    find: 'const readTs = slackTsBefore(readAt);',
    replace: 'const readTs = slackTs(readAt);',
  },
  {
    name: 'threads are read only once a day, whatever was interrupted',
    world: 576,
    file: 'src/engine/catch-up.ts',
    find: 'missed.isRestDue || isInterrupted || isOld || !isWhole;',
    replace: 'isOld || !isWhole;',
  },
  {
    name: 'channels are caught up at a start alone',
    world: 49,
    file: 'src/engine/catch-up.ts',
    find: 'const HOUR_MS = 60 * 60 * 1000;',
    replace: 'const HOUR_MS = 500 * 60 * 60 * 1000;',
  },
  {
    name: 'a list of files is always empty',
    world: 7,
    file: 'src/surfaces/files/show-files.ts',
    find: 'pageOf(matching.toSorted(newestFirst), FILES_PER_PAGE',
    replace: 'pageOf(matching.slice(0, 0), FILES_PER_PAGE',
  },
  {
    name: 'members may not delete what they shared',
    world: 7,
    file: 'src/surfaces/delete/delete-file.ts',
    find: "verdictOn(asked, 'delete-file', ownerOf(copy))",
    replace: "verdictOn(asked, 'delete-file', null)",
  },
  {
    name: 'what is deleted in Slack stays, whatever was set',
    world: 61,
    file: 'src/engine/deletions.ts',
    find: "context.onSlackDelete === 'follow' &&",
    replace: "context.onSlackDelete === 'keep' &&",
  },
  {
    name: 'commands are not acknowledged',
    file: 'src/surfaces/kit/commands.ts',
    find: '      await ack();\n',
    replace: '',
    also: [
      {
        file: 'src/surfaces/kit/commands.ts',
        find: 'async ({ ack, command, respond }) => {',
        replace: 'async ({ command, respond }) => {',
      },
    ],
  },
  {
    name: 'a link is announced, and files go where they went',
    file: 'src/core/share.ts',
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
    file: 'src/engine/deletions.ts',
    find: "context.onSlackDelete === 'follow' &&",
    replace: "context.onSlackDelete !== 'keep' &&",
  },
  {
    name: 'a sharer is asked at each event about the same file',
    world: 62,
    file: 'src/engine/deletions.ts',
    find: '.filter(({ transfer }) => transfer.askedAt === null)',
    replace: '',
    also: [
      {
        file: 'src/engine/deletions.ts',
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
    name: 'what is saved to another folder counts as the message’s own',
    file: 'src/ledger/record-share.ts',
    find: "own: origin === 'saved' ? 0 : 1,",
    replace: 'own: 1,',
  },
  {
    name: 'what is saved does not heed the same file on its way by itself',
    file: 'src/ledger/migrations/first.ts',
    find: 'create unique index transfers_once',
    replace: 'create index transfers_once',
  },
  {
    name: 'anybody may save files by hand',
    file: 'src/surfaces/save/save-files.ts',
    find: "if (reason !== 'allowed') return saveRefused(",
    replace: "if (reason === 'other-workspace') return saveRefused(",
    also: [
      {
        file: 'src/surfaces/save/save-files.ts',
        find: "if (verdict !== 'allowed') return refused(verdict);",
        replace: "if (verdict === 'other-workspace') return refused(verdict);",
      },
    ],
  },
  {
    name: 'a file is refused where the service fails for the moment',
    file: 'src/engine/settle.ts',
    find: 'if (verdict.retry && isWorthAnotherTry(code, { since, now, last }))',
    replace:
      "if (verdict.retry && code !== 'SERVICE_FAILED' && isWorthAnotherTry(code, { since, now, last }))",
  },
  {
    name: 'a held folder is told of at every file',
    world: 122,
    file: 'src/ledger/holds.ts',
    find: 'note.where(isNew)',
    replace: 'note',
    also: [
      {
        file: 'src/surfaces/notices/notify-hold.ts',
        find: '!linkIfTo(folder, link) || !reason || link.holdNotified',
        replace: '!linkIfTo(folder, link) || !reason',
      },
    ],
  },
  {
    name: 'a hold keeps its files when it ends',
    world: 72,
    file: 'src/ledger/holds.ts',
    find: '  if (isEnded) await atomically(db, (trx) => resumeJobs(trx, { now, waits: true }));\n',
    replace: '',
    also: [
      {
        file: 'src/ledger/holds.ts',
        find: '    await updateTransfers(trx, now, told, dueAgain(now));\n',
        replace: '    void told;\n    void dueAgain;\n    void updateTransfers;\n',
      },
      {
        file: 'src/ledger/transfer.ts',
        find: ' + (await resumeJobs(trx, { now }));',
        replace: ';',
      },
    ],
  },
  {
    name: 'a line stays as it was first posted',
    file: 'src/engine/keep-message.ts',
    find: 'if (ts) await edit(message, { ...text, ts }, context);',
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
    file: 'src/engine/view-folder.ts',
    find: "if (match.verdict === 'found') return match;",
    replace:
      "if (match.verdict === 'found') return unclear('a record of its folder may be its own');",
  },
  {
    name: 'a key that is not accepted refuses files for good',
    world: 414,
    file: 'src/base/errors.ts',
    find: "return isPermanent && error.code !== 'SERVICE_UNAUTHORIZED';",
    replace: 'return isPermanent;',
    also: [
      {
        file: 'src/core/holds.ts',
        find: "  if (code === 'SERVICE_UNAUTHORIZED') return KEY;\n",
        replace: '',
      },
    ],
  },
  {
    name: 'an answer about a file deleted in Slack counts for all questions of its message',
    world: 920,
    file: 'src/surfaces/deleted-in-slack/choose-copies.ts',
    find: 'userId === share.userId && askedAt === at);',
    replace: 'userId === share.userId && askedAt !== null && at > 0);',
  },
  {
    name: 'a file that somebody deleted counts as filed',
    file: 'src/ledger/records.ts',
    find: "{ state: 'deleted', deletedBy, deletedAt: now } as const",
    replace: "{ state: deletedBy ? 'filed' : 'deleted', deletedBy, deletedAt: now } as const",
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
    file: 'src/surfaces/share-line/share-line.ts',
    find: 'shownNumber(files.length)} of',
    replace: 'shownNumber(total)} of',
  },
  {
    name: 'a file that an edit adds is not heeded',
    world: 92,
    file: 'src/surfaces/share-line/listen-for-shares.ts',
    find: '(parseShare(event, at) ?? parseAddedFiles(event, at))',
    replace: 'parseShare(event, at)',
    also: [
      {
        file: 'src/surfaces/share-line/listen-for-shares.ts',
        find: '  parseAddedFiles,\n',
        replace: '',
      },
    ],
  },
  {
    name: 'of a message that is known by an edit the other files count as known',
    world: 276,
    file: 'src/ledger/shares.ts',
    find: 'files: share.files.filter((file) => !isKnown(file))',
    replace:
      'files: rows.some(({ message }) => message === messageOf(share)) ? [] : share.files.filter((file) => !isKnown(file))',
  },
  {
    name: 'Share in channel shows another file of the folder',
    world: 5,
    file: 'src/surfaces/files/act-on-file.ts',
    find: 'const record = known && (await ledger.recordsNumbered(known.id, [fileId])).get(fileId);',
    replace:
      'const near = known && (await ledger.recordsNumbered(known.id, [fileId - 1, fileId]));\n  const record = near && (near.get(fileId - 1) ?? near.get(fileId));',
  },
  {
    name: 'Share in channel shows a file again at a second press',
    world: 7,
    file: 'src/surfaces/files/share-file.ts',
    find: 'if (!(await ledger.noteRequest(press, now))) return alreadyShared(file);',
    replace: 'await ledger.noteRequest(press, now);',
  },
  {
    name: 'Share in channel posts nothing',
    world: 5,
    file: 'src/surfaces/files/share-file.ts',
    find: 'await workspace.announce(channel, fileShared({ ...file, folder, by }), thread);',
    replace: 'fileShared({ ...file, folder, by });',
  },
  {
    name: 'each channel lists and shares all that is in the default folder',
    world: 10,
    file: 'src/ledger/records.ts',
    find: "eb('channel', 'in', some)",
    replace: "eb('channel', '<>', String(some.length))",
  },
  {
    name: 'Put back files twice at a second press',
    world: 96,
    file: 'src/surfaces/delete/put-back.ts',
    find: "seen.filter(({ state, deletedBy }) => state === 'deleted' && deletedBy !== null)",
    replace: 'seen',
    also: [
      {
        file: 'src/surfaces/delete/put-back.ts',
        find: 'files.filter(({ deletedAt }) => mayPutBack(deletedAt, now))',
        replace:
          "files.filter(({ state, deletedAt }) => state !== 'deleted' || mayPutBack(deletedAt, now))",
      },
      {
        file: 'src/ledger/record-share.ts',
        find: "      .where('id', 'in', ids)\n      .where('state', '=', 'deleted')\n",
        replace: "      .where('id', 'in', ids)\n",
      },
    ],
  },
  {
    name: 'what is put back is said to be, and stays away',
    world: 5,
    file: 'src/surfaces/delete/put-back.ts',
    find: "if ((await ledger.putBack(ids, now)) === 0) return refused('back');",
    replace: '',
  },
  {
    name: 'anybody may put back',
    world: 32,
    file: 'src/surfaces/delete/put-back.ts',
    find: "if (verdict !== 'allowed') return refused(verdict);",
    replace: "if (verdict === 'other-workspace') return refused(verdict);",
  },
  {
    name: 'what is filed again by hand is said to be, and stays away',
    world: 19,
    file: 'src/surfaces/save/save-files.ts',
    find: 'return savedAgain({ saved: await recordAll(there, { message: given, files, folder }, context) });',
    replace: 'return savedAgain({ saved: given ? files.length : 0 });',
  },
  {
    name: 'a channel that is made quiet keeps its lines',
    world: 10,
    file: 'src/surfaces/settings/settings-view.ts',
    find: "return { lines: has('lines'), announces: has('announces') };",
    replace: "return { lines: true, announces: has('announces') };",
  },
  {
    name: 'announcements that the form switches off stay on',
    world: 22,
    file: 'src/surfaces/settings/settings-view.ts',
    find: "return { lines: has('lines'), announces: has('announces') };",
    replace: "return { lines: has('lines'), announces: true };",
  },
  {
    name: 'anybody may switch announcements',
    world: 132,
    file: 'src/surfaces/link/link-channel.ts',
    find: "const refusal = wanted === null ? null : refusalOf(asked, 'announce');",
    replace: 'const refusal = null;',
  },
  {
    name: 'a search in a modal is never answered',
    world: 88,
    file: 'src/surfaces/find/find-modal.ts',
    find: '      answer(reply, context, (asked) => findFiles(asked, { words, kind: null, page: 1 }, context)),\n',
    replace: '      Promise.resolve(reply && findFiles && answer && words),\n',
  },
  {
    name: 'a channel that is chosen in the App Home does not open',
    world: 4,
    file: 'src/surfaces/home/choose-channel.ts',
    find: 'return isOpen ? openSettings(there, context) : CHANNEL_UNSEEN;',
    replace: 'return isOpen ? CHANNEL_UNSEEN : openSettings(there, context);',
  },
  {
    name: 'Find in the App Home opens nothing',
    world: 24,
    file: 'src/surfaces/find/index.ts',
    find: 'handle: (asked, _, context) => openFind(asked, context),',
    replace:
      'handle: (asked, _, context) => openFind && asked && context && Promise.resolve(null),',
  },
  {
    name: 'the bookmark of a folder stays at an unlink',
    world: 10,
    file: 'src/surfaces/link/keep-bookmark.ts',
    find: 'if (was !== null && was !== there) await workspace.removeBookmark(channel, was);',
    replace: '',
  },
  {
    name: 'an address that is posted gets no preview',
    world: 5,
    file: 'src/surfaces/previews/listen-for-links.ts',
    find: 'if (Object.keys(previews).length === 0) return;',
    replace: 'if (team) return;',
  },
  {
    name: 'an address shows whatever is in the default folder',
    world: 13,
    file: 'src/surfaces/previews/find-linked-file.ts',
    find: 'if (!record || !(await recordsInView(channel, destination, context))(record)) return null;',
    replace: 'if (!record || !recordsInView) return null;',
  },
  {
    name: 'the shortcut “Find files” opens nothing',
    world: 12,
    file: 'src/surfaces/find/find-modal.ts',
    find: 'await openFind({ triggerId: shortcut.trigger_id }, context);',
    replace: '',
  },
];
