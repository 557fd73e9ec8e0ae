import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BLOCK_BYTES = 1024 * 1024

/** A disk in memory, which a test can fill without harm to the machine. */
export function mountDisk(folder: string, bytes: number, owner = { uid: 0, gid: 0 }): void {
  mkdirSync(folder)
  const options = `size=${bytes},mode=0700,uid=${owner.uid},gid=${owner.gid}`
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' })
}

/** @returns the reason to skip a test, or false when this process may mount a disk */
export function whyDiskIsMissing(): string | false {
  const parent = mkdtempSync(join(tmpdir(), 'accounts-disk-'))
  const folder = join(parent, 'disk')
  try {
    mountDisk(folder, 65_536)
    execFileSync('umount', [folder])
    return false
  } catch {
    return "A disk in memory can't be mounted, which needs Linux and root"
  } finally {
    rmSync(folder, { recursive: true, force: true })
    rmdirSync(parent)
  }
}

/** Fills the disk with one file, except for some bytes. @returns the function that deletes the file */
export function fillDisk(folder: string, freeBytes: number): () => void {
  const ballast = join(folder, 'ballast')
  // A program that writes concurrently takes space, too.
  for (let excess = spaceOf(folder) - freeBytes; excess > 0; excess = spaceOf(folder) - freeBytes)
    appendFileSync(ballast, Buffer.alloc(Math.min(excess, BLOCK_BYTES)))
  return () => rmSync(ballast, { force: true })
}

function spaceOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
