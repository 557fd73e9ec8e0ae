// Runs as a separate process with TMPDIR set, because the package has no option for the target folder.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'

await chromium.executablePath()
await inflate(join(fileURLToPath(import.meta.resolve('@sparticuz/chromium')), '../../bin/al2023.tar.br'))
