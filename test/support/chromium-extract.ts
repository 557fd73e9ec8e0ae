// Run as a process of its own, with TMPDIR set to where the files shall go: the package knows no other way to say it.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'

await chromium.executablePath()
await inflate(join(fileURLToPath(import.meta.resolve('@sparticuz/chromium')), '../../bin/al2023.tar.br'))
