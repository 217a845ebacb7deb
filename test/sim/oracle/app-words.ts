/* The app's words by which the oracle knows what it says: a line of docs/words.md matches each. */

export const PAUSED = /^Files shared in .* are waiting: /;
/** A file that a person shares from a list. */
export const SHARED = /^(?:<@|@)(\w+)>? shared .* from /;
export const ADDED = / added .*in the file service: /;
/** The question whether to delete the filed copies of files that were deleted in Slack. */
export const QUESTION = /^(.*) (?:was|were) deleted in Slack\. Delete (?:it|them) from /;
/** The app cannot look into a folder: another folder gets the file, and a copy may stay. */
export const UNSEEN = /I can’t see into this folder/;
/** What is put back: one file by its name, or how many. */
export const PUTTING_BACK = /^Putting (\d+|.*) back\./;
export const SAVING_AGAIN = /^Saving (\d+) files? again\./;
/** How many files were left in Slack by a press, or none. */
export const LEFT = /Left (\d+) files? in Slack\./;
export const NONE_LEFT = /Everything is being sent right now|so I left none/;
/** What is told of a file that was shared from a list a moment ago. */
export const JUST_SHARED = /^You’ve just shared /;
/** Of a message of which the app knows no share. */
export const NOT_SEEN = /^I haven’t filed anything from this message/;
export const DELETED_IN_SLACK = /^Deleted in Slack before (?:it was|they were) filed: (.+)$/m;
/** The app cannot tell whether files were filed, or under which record. */
export const UNCLEAR = /I can’t tell whether (it’s|they’re) already there/;
export const UNTRACED = /The file service didn’t say which/;
export const UNCONFIRMED = /I sent (it|them) three times/;
/** The app still finds out, or waits. */
export const CHECKING = /^(?!.*I can’t tell).*Checking whether (it|they) arrived/m;
export const BEHIND_TWIN = /dentical to a file I’m still filing|whether an identical file arrived/;
export const HELD_BACK = /shared before this (?:channel|conversation) had a folder/;
export const SKIPPED = /^Left in Slack: /m;
export const FOLDER_GONE = /^Waiting: .* The folder is gone\. I’(ve told|ll file .* once that)/m;
