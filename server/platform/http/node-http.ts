/** Not imported: an import reads each export of node:http, and WebSocket loads the client of `fetch`, 3 MiB. */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
