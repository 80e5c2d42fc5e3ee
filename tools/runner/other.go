//go:build !linux

package main

import "errors"

var errLinuxOnly = errors.New("programs run behind fences on Linux only")

func runExec([]string) error   { return errLinuxOnly }
func runServe([]string) error  { return errLinuxOnly }
func runProbe([]string) error  { return errLinuxOnly }
func runCheck([]string) error  { return errLinuxOnly }
func runEnter([]string) error  { return errLinuxOnly }
func runInit([]string) error   { return errLinuxOnly }
func runLaunch([]string) error { return errLinuxOnly }
func runSweep([]string) error  { return errLinuxOnly }
func runReach([]string) error  { return errLinuxOnly }
