import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pngOf } from '../../../test/support/png.ts'
import { isSmallPicture, PICTURE_SIDE_MAXIMUM } from './small-picture.ts'

const TOO_LARGE = PICTURE_SIDE_MAXIMUM + 1
/** The parts of a JPEG before its pixels: a table, and the frame. */
const TABLE = 'ffdb 0003 00'
const frame = (width: number, height: number, marker = 'ffc0') =>
  `${marker} 0008 08 ${height.toString(16).padStart(4, '0')} ${width.toString(16).padStart(4, '0')}`
const jpegOf = (...parts: string[]) => dataUrl('jpeg', ['ffd8', ...parts].join(''))

function dataUrl(type: string, hex: string): string {
  return `data:image/${type};base64,${Buffer.from(hex.replaceAll(' ', ''), 'hex').toString('base64')}`
}

test('A JPEG or PNG of at most 512 pixels a side is accepted', () => {
  for (const picture of [
    pngOf(1, 1),
    pngOf(PICTURE_SIDE_MAXIMUM, PICTURE_SIDE_MAXIMUM),
    jpegOf(frame(1, 1)),
    jpegOf('ffe0 0004 4a46', TABLE, frame(PICTURE_SIDE_MAXIMUM, PICTURE_SIDE_MAXIMUM, 'ffc2')),
  ])
    assert.ok(isSmallPicture(picture), picture)
})

test('A JPEG or PNG of more pixels is refused, because it would hang the browser', () => {
  for (const picture of [
    pngOf(TOO_LARGE, 1),
    pngOf(1, TOO_LARGE),
    pngOf(20_000, 20_000),
    jpegOf(TABLE, frame(TOO_LARGE, 1)),
    jpegOf(TABLE, frame(1, TOO_LARGE, 'ffc2')),
    jpegOf(TABLE, frame(0xffff, 0xffff, 'ffcf')),
  ])
    assert.ok(!isSmallPicture(picture), picture.slice(0, 99))
})

test('A JPEG in which a decoder could find another frame is refused', () => {
  for (const parts of [
    // A decoder skips what is between two segments, and reads the larger frame.
    ['00', frame(1, 1), frame(20_000, 20_000)],
    ['ffd0', frame(1, 1)],
    ['ffff', frame(1, 1)],
    // The length of the table includes the smaller frame.
    ['ffdb 000c 00', frame(1, 1), frame(20_000, 20_000)],
    [TABLE, 'ffda 0002', frame(1, 1)],
    // A gain map, which Chromium decodes too.
    [TABLE, frame(1, 1), 'ffd9 ffd8', frame(20_000, 20_000)],
    // A preview inside of a segment.
    ['ffe1 0004 ffd8', frame(1, 1)],
    [TABLE],
    ['ffdb ffff'],
    ['ffdb 0000'],
    ['ffc0 0008 08 0001'],
  ])
    assert.ok(!isSmallPicture(jpegOf(...parts)), parts.join())
})

test('Other files are refused, whatever type the data: URL says', () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')
  for (const text of [
    `data:image/svg+xml;base64,${svg}`,
    `data:image/png;base64,${svg}`,
    'data:image/webp;base64,UklGRhgAAABXRUJQVlA4TAwAAAAv/////wcQEREAAA==',
    'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAAC',
    pngOf(1, 1).replace('image/png', 'text/html'),
    pngOf(1, 1).replace(';base64', ''),
    pngOf(1, 1).replace('data:', ' data:'),
    `${pngOf(1, 1)}%`,
    'data:image/png;base64,',
    'data:image/png;base64,iVBORw0KGgo=',
    'https://example.com/a.png',
    '',
  ])
    assert.ok(!isSmallPicture(text), text)
})
