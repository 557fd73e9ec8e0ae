/** An import would read every export. The export WebSocket loads the client of `fetch`, which takes 3 MiB. */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
