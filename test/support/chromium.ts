import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type Chromium = { executablePath: string; environment: Record<string, string> }

const modules = join(import.meta.dirname, '../../node_modules')

async function extractInto(folder: string, finalFolder: string): Promise<void> {
  const script = join(import.meta.dirname, 'chromium-extract.ts')
  await promisify(execFile)(process.execPath, [script], { env: { ...process.env, TMPDIR: folder } })
  // The packaged configuration expects the fonts in /tmp.
  const fonts = `<dir>${finalFolder}/fonts/fonts</dir><cachedir>${finalFolder}/fonts-cache</cachedir>`
  await writeFile(join(folder, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${fonts}</fontconfig>`)
}

/** Concurrent test processes extract to separate folders, and the first folder is kept. */
async function extract(finalFolder: string): Promise<void> {
  await mkdir(join(modules, '.cache'), { recursive: true })
  const folder = await mkdtemp(`${finalFolder}-`)
  try {
    await extractInto(folder, finalFolder)
    await rename(folder, finalFolder)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (!existsSync(finalFolder)) throw error
  }
}

/**
 * Chromium from the npm package, with the libraries (NSS, NSPR) and fonts that a bare machine lacks. It is unpacked
 * once, below node_modules, and stays there until the next `npm ci`.
 */
export async function prepareChromium(): Promise<Chromium> {
  const manifest: { version: string } = JSON.parse(
    await readFile(join(modules, '@sparticuz/chromium/package.json'), 'utf8'),
  )
  const folder = join(modules, '.cache', `chromium-${manifest.version}`)
  if (!existsSync(folder)) await extract(folder)
  return {
    executablePath: join(folder, 'chromium'),
    environment: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}
