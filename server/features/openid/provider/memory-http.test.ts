import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dispatchInMemory } from './memory-http.ts'

const REQUEST = { method: 'GET', url: '/', headers: {}, body: undefined }

test('dispatchInMemory rejects with the error of a handler that does not answer', async () => {
  const failing = async () => {
    throw new Error('out of memory')
  }
  await assert.rejects(dispatchInMemory(failing, REQUEST), /out of memory/)
})
