/**
 * The moments of a transfer between which a process may die. Tests stop it at each of them; in the
 * product nothing happens.
 */
export type CheckpointName =
  | 'claimed'
  | 'uploading'
  | 'upload-answered'
  | 'uploaded'
  | 'creating'
  | 'create-answered'
  | 'created'
  | 'looking'
  | 'absent'
  | 'filed'
  | 'reply-begun'
  | 'reply-posted'
  | 'reply-recorded';

export type Checkpoint = (name: CheckpointName, transferOrShareId: number) => Promise<void>;

export const noCheckpoint: Checkpoint = async () => undefined;
