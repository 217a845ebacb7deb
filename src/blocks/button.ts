import type { types } from '@slack/bolt';
import type { ActionId } from './actions.ts';
import { cut } from './cut.ts';
import { plain } from './layout.ts';

export interface ButtonOptions {
  action: ActionId;
  /** A verb; Slack shows about 30 characters. */
  label: string;
  /** Written by one of `action-values.ts`. */
  value: string;
  /** What a screen reader says in place of the label, when that does not name the object. */
  spoken?: string;
  style?: 'primary' | 'danger';
  confirm?: ConfirmOptions;
}

/** The question before a button acts: it names the object and what follows. */
export interface ConfirmOptions {
  title: string;
  text: string;
  confirm: string;
  deny: string;
}

export function button(options: ButtonOptions): types.Button {
  const { action, label, value, spoken, style, confirm } = options;
  return {
    type: 'button',
    action_id: action,
    text: plain(label, 75),
    value,
    ...(spoken === undefined ? {} : { accessibility_label: cut(spoken, 75) }),
    ...(style === undefined ? {} : { style }),
    ...(confirm === undefined ? {} : { confirm: dangerDialog(confirm) }),
  };
}

function dangerDialog(options: ConfirmOptions): types.ConfirmationDialog {
  return {
    title: plain(options.title, 100),
    text: plain(options.text, 300),
    confirm: plain(options.confirm, 30),
    deny: plain(options.deny, 30),
    style: 'danger',
  };
}
