/** A failure of a download. */
export interface DownloadFault {
  /**
   * A number is that HTTP status. `html`: a web page with status 200. `truncated`: too few bytes,
   * but a normal end. `cut`: the connection breaks midway. `stalled`: the bytes stop arriving.
   */
  answer: number | 'html' | 'truncated' | 'cut' | 'stalled';
  /** Bytes sent before the failure, for the last three. Default: half of the file. */
  after?: number;
  /** How many downloads fail before they succeed. Default: all. */
  times?: number;
}

/**
 * How a file deviates from a normal one, as some files in Slack do
 * (https://docs.slack.dev/reference/objects/file-object).
 */
export interface FileOddity {
  /**
   * `external`: a link to another site. `tombstone`: deleted. `hidden_by_limit`: out of the free
   * plan's reach. `stub`: the message has only its identifier (`check_file_info`).
   */
  as?: 'external' | 'tombstone' | 'hidden_by_limit' | 'stub';
  /** What `files.info` returns instead: a stub with `access_denied`, or `file_not_found`. */
  info?: 'access_denied' | 'file_not_found';
  /** Messages and the first `n` responses of `files.info` omit the download addresses. */
  urlAfterInfos?: number;
  /** The size that Slack states, in bytes, instead of the real one. */
  statedSize?: number;
  /** Slack states no name. */
  nameless?: boolean;
  download?: DownloadFault;
}
