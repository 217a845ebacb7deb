const EMOJI = {
  hourglass_flowing_sand: '⏳',
  white_check_mark: '✅',
  heavy_check_mark: '✔️',
  warning: '⚠️',
  x: '❌',
  eyes: '👀',
  file_folder: '📁',
  open_file_folder: '📂',
  inbox_tray: '📥',
  package: '📦',
  bell: '🔔',
  tada: '🎉',
  wave: '👋',
  thumbsup: '👍',
  '+1': '👍',
  thumbsdown: '👎',
  '-1': '👎',
  smile: '😄',
  heart: '❤️',
  rocket: '🚀',
  pushpin: '📌',
  link: '🔗',
  lock: '🔒',
  arrows_counterclockwise: '🔄',
  information_source: 'ℹ️',
  bird: '🐦',
  dove_of_peace: '🕊️',
  wastebasket: '🗑️',
};

/** Returns an emoji's character, or its name between colons if it is not in the table. */
export function emoji(name) {
  return Object.hasOwn(EMOJI, name) ? EMOJI[name] : `:${name}:`;
}
