/** Ways in which a download goes wrong. */
export interface DownloadFault {
  /**
   * A number is that HTTP status. `html`: a web page with status 200. `truncated`: fewer bytes, the
   * answer ending as if whole. `cut`: the connection breaks midway. `stalled`: nothing more comes.
   */
  answer: number | 'html' | 'truncated' | 'cut' | 'stalled';
  /** Bytes that come before it, for the last three. Default: half of the file. */
  after?: number;
  /** How many downloads it befalls before they go well; default all. */
  times?: number;
}

/**
 * What is odd about a file, as files in Slack sometimes are
 * (https://docs.slack.dev/reference/objects/file-object).
 */
export interface FileOddity {
  /**
   * `external`: a link to another site. `tombstone`: deleted. `hidden_by_limit`: out of the free
   * plan's reach. `stub`: the message tells its identifier alone (`check_file_info`).
   */
  as?: 'external' | 'tombstone' | 'hidden_by_limit' | 'stub';
  /** What `files.info` makes of it instead of telling the whole. */
  info?: 'access_denied' | 'file_not_found';
  /** Neither the message nor the first `n` answers of `files.info` have an address. */
  urlAfterInfos?: number;
  /** The size that Slack states, in bytes, whatever comes. */
  statedSize?: number;
  /** Slack states no name. */
  nameless?: boolean;
  download?: DownloadFault;
}
