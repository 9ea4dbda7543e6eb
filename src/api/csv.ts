import { call } from './endpoint.ts';

export const csvUpload = call({ method: 'POST', path: '/v1/csv/upload' });
