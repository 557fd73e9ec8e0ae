import { resolve } from 'node:path'
import type { TestsStream } from 'node:test'
import { LOADS_FILES } from './share-processes.ts'

/** The test files that have started and not ended. `onTooLong` is called once for a file that runs over the limit. */
export function watchFiles(events: TestsStream, limitMilliseconds: number, onTooLong: (file: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>()
  events.on('test:dequeue', (event) => {
    const { name } = event
    if (isFile(event)) timers.set(name, setTimeout(onTooLong, limitMilliseconds, name).unref())
  })
  onFileEnd(events, (file) => {
    clearTimeout(timers.get(file))
    timers.delete(file)
  })
  return { list: () => [...timers.keys()] }
}

export function onFileEnd(events: TestsStream, act: (file: string, seconds: number) => void): void {
  events.on('test:complete', (event) => {
    if (isFile(event)) act(event.name, event.details.duration_ms / 1000)
  })
}

/** @returns a function to the number of tests that have ended, without files and suites */
export function countTests(events: TestsStream): () => number {
  let count = 0
  events.on('test:complete', (event) => {
    if (event.details.type !== 'suite' && event.name !== LOADS_FILES && !isFile(event)) count += 1
  })
  return () => count
}

/** An event that has the path of the file as its name is about the whole file. */
function isFile({ name, file }: { name: string; file?: string }): boolean {
  return resolve(name) === file
}
