package main

import "fmt"

type S struct {
	A int `json:"a"`
}

func (s *S) M(x int) (int, error) {
	fmt.Println(x)
	return 0, nil
}
