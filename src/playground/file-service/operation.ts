/** What a request asks for; `unknown` if the service has no such call. */
export type Operation =
  | 'upload'
  | 'create'
  | 'list'
  | 'delete'
  | 'download'
  | 'projects'
  | 'folders'
  | 'create-folder'
  | 'rename-folder'
  | 'delete-folder'
  | 'people'
  | 'unknown';
