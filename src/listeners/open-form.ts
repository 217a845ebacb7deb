import type { Modal } from '../blocks/index.ts';
import { type OpenModal, SlackCallError } from '../slack/index.ts';
import type { Asked } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/** A form as it is opened, and what it shows once more is known. */
interface FormToOpen {
  first: Modal;
  prepare: () => Promise<Modal>;
}

/**
 * Opens a form at once, as the trigger is good for 3 s alone, and shows the rest in it when it is there.
 * Resolves with whether Slack let it open.
 */
export async function openForm(
  { channel, triggerId = '' }: Asked,
  { first, prepare }: FormToOpen,
  context: ListenerContext,
): Promise<boolean> {
  const { workspace, logger } = context;
  try {
    const opened = await workspace.openModal(triggerId, first);
    context.inBackground(prepare().then((modal) => changeForm(opened, modal, context)));
    return true;
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    logger.warn({ channel, error }, 'A form could not be opened');
    return false;
  }
}

/** Changes an open form, unless it was closed, or is not as `hash` says any more. */
export async function changeForm(
  opened: OpenModal,
  modal: Modal,
  { workspace, logger }: ListenerContext,
): Promise<void> {
  await workspace.updateModal(opened, modal).catch((error: unknown) => {
    if (!(error instanceof SlackCallError)) throw error;
    logger.debug({ reason: error.reason }, 'A form was left as it is');
  });
}
