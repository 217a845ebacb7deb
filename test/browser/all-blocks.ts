import type { Json } from '../../src/playground/embedded-slack/index.ts';

const plain = (text: string): Json => ({ type: 'plain_text', text });

const options = ['One', 'Two', 'Three'].map((word) => ({
  text: plain(word),
  value: word.toLowerCase(),
}));

const styled = (text: string, style: Json): Json => ({ type: 'text', text, style });

/** Every kind of block and element that the page draws, and a block that it does not. */
export const ALL_BLOCKS: Json[] = [
  { type: 'header', text: plain('Every block :tada:') },
  {
    type: 'section',
    text: {
      type: 'mrkdwn',
      text: [
        '*Bold* _italic_ ~struck~ `code` :rocket: <https://example.com|a link> &amp; <!date^1767225600^on {date_num}|then>',
        '> quoted *words*',
        '```preformatted *as is* <b>```',
      ].join('\n'),
    },
    accessory: { type: 'button', action_id: 'more', text: plain('More'), value: 'v' },
  },
  {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          styled('Rich ', { bold: true }),
          styled('/files', { code: true }),
          { type: 'link', url: 'javascript:alert(1)', text: ' no link ' },
          { type: 'user', user_id: 'U0PIGEON001' },
          { type: 'date', timestamp: 1_767_225_600, format: '{time}', fallback: 'then' },
        ],
      },
    ],
  },
  {
    type: 'actions',
    elements: [
      { type: 'button', action_id: 'go', text: plain('Go'), style: 'primary', value: 'v' },
      { type: 'button', action_id: 'stop', text: plain('Stop'), style: 'danger', value: 'v' },
      { type: 'static_select', action_id: 'pick', placeholder: plain('Pick one'), options },
    ],
  },
  {
    type: 'actions',
    elements: [
      {
        type: 'radio_buttons',
        action_id: 'radio',
        options: options.map((one) => ({ ...one, description: plain('Small print') })),
      },
      { type: 'checkboxes', action_id: 'boxes', options },
      {
        type: 'external_select',
        action_id: 'search',
        placeholder: plain('Search folders'),
        min_query_length: 1,
      },
      {
        type: 'conversations_select',
        action_id: 'channel',
        placeholder: plain('Choose a channel'),
        filter: { include: ['public', 'private'] },
      },
    ],
  },
  { type: 'divider' },
  { type: 'context', elements: [{ type: 'mrkdwn', text: 'Small print by <@U0PIGEON001>' }] },
];

/** A form as a modal. */
export const FORM: Json = {
  type: 'modal',
  callback_id: 'form',
  title: plain('A form'),
  submit: plain('Keep'),
  close: plain('Leave'),
  blocks: [
    {
      type: 'input',
      block_id: 'name',
      label: plain('Name'),
      element: { type: 'plain_text_input', action_id: 'name' },
      hint: plain('As people call it'),
    },
    {
      type: 'input',
      block_id: 'kind',
      label: plain('Kind'),
      optional: true,
      element: { type: 'static_select', action_id: 'kind', options },
    },
  ],
};
