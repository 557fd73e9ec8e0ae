import { queryOptions } from '@tanstack/react-query'
import { request } from '../shared/api/request.ts'
import type { OpenApiDocument } from './document.ts'

export const openApiQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: () => request<OpenApiDocument>('/api/auth/openapi.json'),
  staleTime: Number.POSITIVE_INFINITY,
})
