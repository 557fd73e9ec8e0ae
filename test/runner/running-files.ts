import type { TestsStream } from 'node:test'

/** The test files that have started and not ended. `onTooLong` is called once for a file that runs over the limit. */
export function watchFiles(events: TestsStream, limitMilliseconds: number, onTooLong: (file: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>()
  // An event whose name is the file's path is about the whole file.
  events.on('test:dequeue', ({ name, file }) => {
    if (name === file) timers.set(file, setTimeout(onTooLong, limitMilliseconds, file).unref())
  })
  events.on('test:complete', ({ name, file }) => {
    if (name !== file) return
    clearTimeout(timers.get(file))
    timers.delete(file)
  })
  return { list: () => [...timers.keys()] }
}
