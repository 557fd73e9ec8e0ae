import { resolve } from 'node:path'
import type { TestsStream } from 'node:test'

/** The test files that have started and not ended. `onTooLong` is called once for a file that runs over the limit. */
export function watchFiles(events: TestsStream, limitMilliseconds: number, onTooLong: (file: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>()
  // An event that has the path of the file as its name is about the whole file.
  events.on('test:dequeue', ({ name, file }) => {
    if (resolve(name) === file) timers.set(name, setTimeout(onTooLong, limitMilliseconds, name).unref())
  })
  events.on('test:complete', ({ name, file }) => {
    if (resolve(name) !== file) return
    clearTimeout(timers.get(name))
    timers.delete(name)
  })
  return { list: () => [...timers.keys()] }
}
